// SPDX-License-Identifier: MIT
//
// Stubs of Unreal Engine 5's public interface, as far as examples/unreal uses it: names, parameters and what is virtual are
// those of its API reference. No line of the engine is here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

typedef std::size_t SIZE_T;
typedef std::uint32_t uint32;
typedef char16_t TCHAR;
#define TEXT(s) u##s

class FString
{
      public:
	FString(const TCHAR *Text) : Text(Text)
	{
	}
	const TCHAR *operator*() const
	{
		return Text.c_str();
	}
	friend FString operator+(const TCHAR *A, const FString &B)
	{
		return FString((A + B.Text).c_str());
	}

      private:
	std::u16string Text;
};

class FUtf8Of
{
      public:
	explicit FUtf8Of(const TCHAR *From)
	{
		for (; *From; From++)
			Text += static_cast<char>(*From);
	}
	const char *Get() const
	{
		return Text.c_str();
	}

      private:
	std::string Text;
};
#define TCHAR_TO_UTF8(s) FUtf8Of(s).Get()
