/* SPDX-License-Identifier: MIT
 *
 * Names as il2cpp's sources have them; what they stand for is the C# that they were made of.
 */
#include "lib/managed/il2cpp_name.h"

#include "tests/unit/test.h"

#define H "F15250BF947CA27BE9A23C08BAC6DB6F180B0EDD"
#define I "680FF22E76F6EFAD4375103CBBFFA0421349384C"

static void is(const char *name, const char *want, const char *file, int line)
{
	char *got = il2cpp_display(name);

	test_str(got, want, name, file, line);
	free(got);
}
#define IS(name, want) is(name, want, __FILE__, __LINE__)

TEST(methods)
{
	IS("NewBehaviourScript_Start_m" H, "NewBehaviourScript.Start");
	IS("NewBehaviourScript__ctor_m" H, "NewBehaviourScript.ctor");
	IS("U3CU3Ec__cctor_m" H, "<>c.cctor");
	IS("List_1_Add_m" H "_gshared_inline", "List`1.Add");
	IS("List_1_Add_m" H "_gshared", "List`1.Add");
	IS("List_1_get_Item_m" H "_inline", "List`1.get_Item");
	IS("List_1__ctor_m" H, "List_1.ctor");
	IS("Vector3_op_Addition_m" H, "Vector3.op_Addition");
	IS("GameObject_Find_m1847450700", "GameObject.Find");
	IS("U3CStartU3Ed__5_MoveNext_m" H, "<Start>d__5.MoveNext");
	IS("U3CU3Ec__DisplayClass5_0_U3CFooU3Eb__1_m" H, "<>c__DisplayClass5_0.<Foo>b__1");
	IS("U3CU3Ec_U3CFooU3Eb__0_1_m" H, "<>c.<Foo>b__0_1");
	IS("Program_U3CMainU3Eg__HelperU7C0_0_m" H, "Program.<Main>g__Helper|0_0");
}

/* Where the type ends cannot be known: nothing is made up. */
TEST(no_boundary)
{
	IS("My_Type_Do_It_m" H, "My_Type_Do_It");
	IS("Enumerator_System_Collections_IEnumerator_get_Current_m" H,
	   "Enumerator_System_Collections_IEnumerator_get_Current");
}

TEST(generic_arguments)
{
	IS("Array_Resize_TisInt32_t" I "_m" H "_gshared", "Array.Resize<Int32>");
	IS("Tuple_Create_TisInt32_t" I "_TisStringU5BU5D_t" I "_m" H,
	   "Tuple.Create<Int32,String[]>");
	IS("Enumerable_Any_TisRuntimeObject_m" H "_gshared", "Enumerable.Any<RuntimeObject>");
	IS("Skin_Tissue_m" H, "Skin.Tissue");
}

TEST(thunks)
{
	IS("Vector3_ToString_m" H "_AdjustorThunk", "Vector3.ToString [AdjustorThunk]");
	IS("Action_Invoke_m" H "_OpenGenericInterfaceInvoker",
	   "Action.Invoke [OpenGenericInterfaceInvoker]");
	IS("Action_Invoke_m" H "_ClosedStaticInvoker", "Action.Invoke [ClosedStaticInvoker]");
	IS("Action_Invoke_m" H "_Multicast", "Action.Invoke [Multicast]");
	IS("ReversePInvokeWrapper_Native_OnLog_m" H, "Native.OnLog [ReversePInvokeWrapper]");
	IS("RuntimeInvoker_Void_t" I "_Int32_t" H, "Void_Int32 [RuntimeInvoker]");
	IS("RuntimeInvoker_TrueVoid_t" I, "TrueVoid [RuntimeInvoker]");
}

TEST(compilers)
{
	IS("List_1_Add_m" H "_inline(List_1_t" I "*, int, MethodInfo const*)", "List`1.Add");
	IS("Foo_Bar_m" H ".part.0", "Foo.Bar [clone .part.0]");
	IS("Foo_Bar_m" H "(Foo_t*) [clone .cold]", "Foo.Bar [clone .cold]");
}

TEST(escapes)
{
	IS("StringU5BU5D_Sum_m" H, "String[].Sum");
	IS("GPU3Cache_Load_m" H, "GPU3Cache.Load");
	IS("GPU3DModel_Load_m" H, "GPU3DModel.Load");
	IS("A_U24ArrayTypeU3D24_m" H, "A.$ArrayType=24");
	IS("CPU2A1_Go_m" H, "CPU2A1.Go");
	IS("PtrU2A_Go_m" H, "Ptr*.Go");
	IS("GridU5BU2CU5D_Go_m" H, "Grid[,].Go");
	IS("XU3EU3C_Go_m" H, "XU3EU3C.Go");
}

TEST(others)
{
	IS("main", NULL);
	IS("", NULL);
	IS("_m" H, NULL);
	IS("mat_mul_m4", NULL);
	IS("Foo_Bar_mF15250BF947CA27BE9A23C08BAC6DB6F180B0ED", NULL);
	IS("Foo_Bar_mf15250bf947ca27be9a23c08bac6db6f180b0edd", NULL);
	IS("il2cpp_codegen_initialize_method(unsigned int)", NULL);
	IS("RuntimeInvoker", NULL);
	IS("RuntimeInvoker_", NULL);
	IS("(anonymous namespace)::f()", NULL);
}

TEST_MAIN()
