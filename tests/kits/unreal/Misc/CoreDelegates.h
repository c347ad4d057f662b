// SPDX-License-Identifier: MIT
#pragma once

#include <CoreMinimal.h>

#include <functional>

template <typename... Parameters> class TStubDelegate
{
      public:
	template <typename Function> void AddStatic(Function F)
	{
		All.push_back(F);
	}
	void Broadcast(Parameters... P)
	{
		for (auto &F : All)
			F(P...);
	}

      private:
	std::vector<std::function<void(Parameters...)>> All;
};

struct FCoreDelegates {
	static TStubDelegate<> OnBeginFrame;
	static TStubDelegate<const FString &> OnSyncLoadPackage;
	static TStubDelegate<const FString &> &GetOnAsyncLoadPackage();
};
