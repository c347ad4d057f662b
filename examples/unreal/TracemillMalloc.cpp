// SPDX-License-Identifier: MIT
//
// not compiled by the engine
#include "TracemillMalloc.h"

#include "Misc/CoreDelegates.h"

#include <tracemill-loli.h>
#include <tracemill.h>

thread_local const char* FTracemillTag::Current = nullptr;

// The recorder has the type, too; where there is none, LoliProfiler's agent may listen.
static void BlockIsThere(const void* P, SIZE_T Count)
{
	if (!P)
		return;
	if (tracemill_mark_alloc)
		tracemill_mark_alloc(TRACEMILL_POOL, P, Count, FTracemillTag::Current);
	else
		tracemill_loli_alloc(const_cast<void*>(P), Count);
}

static void BlockGoes(void* P)
{
	if (!P)
		return;
	if (tracemill_mark_free)
		tracemill_mark_free(TRACEMILL_POOL, P);
	else
		tracemill_loli_free(P);
}

void* FTracemillMalloc::Malloc(SIZE_T Count, uint32 Alignment)
{
	void* P = UsedMalloc->Malloc(Count, Alignment);

	BlockIsThere(P, Count);
	return P;
}

void* FTracemillMalloc::TryMalloc(SIZE_T Count, uint32 Alignment)
{
	void* P = UsedMalloc->TryMalloc(Count, Alignment);

	BlockIsThere(P, Count);
	return P;
}

// Before the engine's allocator gives the old address to another thread, it has to be free here, too.
void* FTracemillMalloc::Realloc(void* Original, SIZE_T Count, uint32 Alignment)
{
	BlockGoes(Original);
	void* P = UsedMalloc->Realloc(Original, Count, Alignment);

	BlockIsThere(P, Count);
	return P;
}

// If it fails, the old block stays, with a size that only the engine's allocator knows.
void* FTracemillMalloc::TryRealloc(void* Original, SIZE_T Count, uint32 Alignment)
{
	SIZE_T Old = 0;
	const bool bKnown = Original && UsedMalloc->GetAllocationSize(Original, Old);

	BlockGoes(Original);
	void* P = UsedMalloc->TryRealloc(Original, Count, Alignment);

	if (P)
		BlockIsThere(P, Count);
	else if (Count && bKnown)
		BlockIsThere(Original, Old);
	return P;
}

void FTracemillMalloc::Free(void* Original)
{
	BlockGoes(Original);
	UsedMalloc->Free(Original);
}

static void PackageLoads(const FString& Name)
{
	tracemill_log(TRACEMILL_INFO, TCHAR_TO_UTF8(*(TEXT("load ") + Name)));
}

void TracemillStart()
{
	FCoreDelegates::OnBeginFrame.AddStatic([]() { tracemill_frame(); });
	FCoreDelegates::OnSyncLoadPackage.AddStatic(&PackageLoads);
	FCoreDelegates::GetOnAsyncLoadPackage().AddStatic(&PackageLoads);
}
