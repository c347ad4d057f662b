// SPDX-License-Identifier: MIT
//
// A stand-in for the engine: an allocator that maps its own memory, and frames. In each of 10 frames 3 blocks of 100 bytes are
// of Textures and one of 40 is of no tag, and all go again but one of Textures; frame 5 loads a map, whose 64 KiB grow to
// 128 KiB and stay.
#include <Misc/CoreDelegates.h>
#include <TracemillMalloc.h>

#include <cstring>
#include <sys/mman.h>

TStubDelegate<> FCoreDelegates::OnBeginFrame;
TStubDelegate<const FString &> FCoreDelegates::OnSyncLoadPackage;
TStubDelegate<const FString &> &FCoreDelegates::GetOnAsyncLoadPackage()
{
	static TStubDelegate<const FString &> D;
	return D;
}

class FOwnMalloc : public FMalloc
{
      public:
	virtual void *Malloc(SIZE_T Count, uint32) override
	{
		char *P = static_cast<char *>(mmap(nullptr, Count + 16, PROT_READ | PROT_WRITE,
						   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));

		std::memcpy(P, &Count, sizeof Count);
		return P + 16;
	}
	virtual void *Realloc(void *Original, SIZE_T Count, uint32 Alignment) override
	{
		SIZE_T Old = 0;
		void *P = Malloc(Count, Alignment);

		if (GetAllocationSize(Original, Old))
			std::memcpy(P, Original, Old < Count ? Old : Count);
		Free(Original);
		return P;
	}
	virtual void *TryRealloc(void *Original, SIZE_T Count, uint32 Alignment) override
	{
		return Count > (SIZE_T(1) << 40) ? nullptr : Realloc(Original, Count, Alignment);
	}
	virtual void Free(void *Original) override
	{
		SIZE_T Count;

		if (GetAllocationSize(Original, Count))
			munmap(static_cast<char *>(Original) - 16, Count + 16);
	}
	virtual bool GetAllocationSize(void *Original, SIZE_T &SizeOut) override
	{
		if (Original)
			std::memcpy(&SizeOut, static_cast<char *>(Original) - 16, sizeof SizeOut);
		return Original;
	}
};

int main()
{
	static FOwnMalloc Own;
	static FTracemillMalloc Malloc(&Own);
	FMalloc *GMalloc = &Malloc;

	TracemillStart();
	for (int Frame = 0; Frame < 10; Frame++) {
		FCoreDelegates::OnBeginFrame.Broadcast();
		void *Untagged = GMalloc->Malloc(40);
		{
			FTracemillTag Tag("Textures");
			void *P[3];

			for (void *&Q : P)
				Q = GMalloc->Malloc(100);
			GMalloc->Free(P[0]);
			GMalloc->Free(P[1]);
		}
		GMalloc->Free(Untagged);
		if (Frame == 5) {
			FTracemillTag Tag("Map");

			FCoreDelegates::OnSyncLoadPackage.Broadcast(TEXT("/Game/Maps/Harbour"));
			void *Map = GMalloc->Realloc(GMalloc->Malloc(65536), 131072);
			if (GMalloc->TryRealloc(Map, SIZE_T(1) << 41) != nullptr)
				return 1;
		}
	}
	return 0;
}
