// SPDX-License-Identifier: MIT
#pragma once

#include <CoreMinimal.h>

enum { DEFAULT_ALIGNMENT = 0 };

class FMalloc
{
      public:
	virtual ~FMalloc()
	{
	}
	virtual void *Malloc(SIZE_T Count, uint32 Alignment = DEFAULT_ALIGNMENT) = 0;
	virtual void *TryMalloc(SIZE_T Count, uint32 Alignment = DEFAULT_ALIGNMENT)
	{
		return Malloc(Count, Alignment);
	}
	virtual void *Realloc(void *Original, SIZE_T Count,
			      uint32 Alignment = DEFAULT_ALIGNMENT) = 0;
	virtual void *TryRealloc(void *Original, SIZE_T Count, uint32 Alignment = DEFAULT_ALIGNMENT)
	{
		return Realloc(Original, Count, Alignment);
	}
	virtual void Free(void *Original) = 0;
	virtual SIZE_T QuantizeSize(SIZE_T Count, uint32)
	{
		return Count;
	}
	virtual bool GetAllocationSize(void *, SIZE_T &)
	{
		return false;
	}
	virtual void Trim(bool)
	{
	}
	virtual void SetupTLSCachesOnCurrentThread()
	{
	}
	virtual void ClearAndDisableTLSCachesOnCurrentThread()
	{
	}
	virtual void InitializeStatsMetadata()
	{
	}
	virtual void UpdateStats()
	{
	}
	virtual bool IsInternallyThreadSafe() const
	{
		return false;
	}
	virtual bool ValidateHeap()
	{
		return true;
	}
	virtual const TCHAR *GetDescriptiveName()
	{
		return TEXT("Unspecified allocator");
	}
	virtual void OnMallocInitialized()
	{
	}
	virtual void OnPreFork()
	{
	}
	virtual void OnPostFork()
	{
	}
};
