// SPDX-License-Identifier: MIT
//
// An FMalloc that stands in front of the engine's own, and tells tm-record, or the agent of LoliProfiler, of each block;
// with the innermost LLM tag as the block's type. Also frame marks, and the names of packages as they are loaded.
//
// not compiled by the engine: it was compiled against stubs of the engine's public interface. README.md says where it goes.
#pragma once

#include "CoreMinimal.h"
#include "HAL/MemoryBase.h"

class FTracemillMalloc final : public FMalloc
{
public:
	explicit FTracemillMalloc(FMalloc* InUsedMalloc) : UsedMalloc(InUsedMalloc) {}

	virtual void* Malloc(SIZE_T Count, uint32 Alignment) override;
	virtual void* TryMalloc(SIZE_T Count, uint32 Alignment) override;
	virtual void* Realloc(void* Original, SIZE_T Count, uint32 Alignment) override;
	virtual void* TryRealloc(void* Original, SIZE_T Count, uint32 Alignment) override;
	virtual void Free(void* Original) override;

	virtual SIZE_T QuantizeSize(SIZE_T Count, uint32 Alignment) override { return UsedMalloc->QuantizeSize(Count, Alignment); }
	virtual bool GetAllocationSize(void* Original, SIZE_T& SizeOut) override { return UsedMalloc->GetAllocationSize(Original, SizeOut); }
	virtual void Trim(bool bTrimThreadCaches) override { UsedMalloc->Trim(bTrimThreadCaches); }
	virtual void SetupTLSCachesOnCurrentThread() override { UsedMalloc->SetupTLSCachesOnCurrentThread(); }
	virtual void ClearAndDisableTLSCachesOnCurrentThread() override { UsedMalloc->ClearAndDisableTLSCachesOnCurrentThread(); }
	virtual void InitializeStatsMetadata() override { UsedMalloc->InitializeStatsMetadata(); }
	virtual void UpdateStats() override { UsedMalloc->UpdateStats(); }
	virtual bool IsInternallyThreadSafe() const override { return UsedMalloc->IsInternallyThreadSafe(); }
	virtual bool ValidateHeap() override { return UsedMalloc->ValidateHeap(); }
	virtual const TCHAR* GetDescriptiveName() override { return UsedMalloc->GetDescriptiveName(); }
	virtual void OnMallocInitialized() override { UsedMalloc->OnMallocInitialized(); }
	virtual void OnPreFork() override { UsedMalloc->OnPreFork(); }
	virtual void OnPostFork() override { UsedMalloc->OnPostFork(); }

private:
	FMalloc* UsedMalloc;
};

// What blocks of this thread are for, while it is in scope. Tag is a text that lives on.
struct FTracemillTag
{
	explicit FTracemillTag(const char* Tag) : Before(Current) { Current = Tag; }
	~FTracemillTag() { Current = Before; }

	static thread_local const char* Current;

private:
	const char* Before;
};

// From the module's startup: frames, and packages as they are loaded, in the recording and in its log.
void TracemillStart();
