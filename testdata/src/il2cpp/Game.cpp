/* SPDX-License-Identifier: MIT
 *
 * C++ as il2cpp makes it of C#, small: names with hashes, comments that say which line of C# what
 * follows was made of, a method that is inlined. testdata/make.d/il2cpp.sh makes the line map of
 * it, tests know the C# of every call by reading this.
 */
struct Player_tF15250BF947CA27BE9A23C08BAC6DB6F180B0EDD {
	int score;
};

volatile int sink;

extern "C" __attribute__((noinline)) void il2cpp_runtime_tick(int n)
{
	sink += n;
}

static inline __attribute__((always_inline)) int
Player_get_Score_m0123456789ABCDEF0123456789ABCDEF01234567_inline(
    Player_tF15250BF947CA27BE9A23C08BAC6DB6F180B0EDD *__this)
{
	//<source_info:Assets/Scripts/Player.cs:12>
	int score = __this->score + sink;
	il2cpp_runtime_tick(score);
	return score + sink;
}

extern "C" __attribute__((noinline)) int Player_Update_m89ABCDEF0123456789ABCDEF0123456789ABCDEF(
    Player_tF15250BF947CA27BE9A23C08BAC6DB6F180B0EDD *__this)
{
	int before = sink;
	il2cpp_runtime_tick(before); // before the first comment: not the line of the function above
	//<source_info:Assets/Scripts/Player.cs:20>
	int a = Player_get_Score_m0123456789ABCDEF0123456789ABCDEF01234567_inline(__this);
	//<source_info:Assets/Scripts/Player.cs:22>
	il2cpp_runtime_tick(a);
	//<source_info:<no-source>:1>
	il2cpp_runtime_tick(2);
	return a + sink;
}

extern "C" __attribute__((noinline)) int
U3CRunU3Ed__5_MoveNext_mFEDCBA9876543210FEDCBA9876543210FEDCBA98(
    Player_tF15250BF947CA27BE9A23C08BAC6DB6F180B0EDD *__this)
{
	//<source_info:Assets/Scripts/Runner.cs:31>
	int b = Player_Update_m89ABCDEF0123456789ABCDEF0123456789ABCDEF(__this);
	//<source_info:Assets/Scripts/Runner.cs:33>
	il2cpp_runtime_tick(b);
	return b + sink;
}

extern "C" int Main_Run_mAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA(void)
{
	Player_tF15250BF947CA27BE9A23C08BAC6DB6F180B0EDD player = {3};
	//<source_info:Assets/Scripts/Main.cs:7>
	return U3CRunU3Ed__5_MoveNext_mFEDCBA9876543210FEDCBA9876543210FEDCBA98(&player) + 1;
}
