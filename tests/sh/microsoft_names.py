#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
microsoft_names.py        C++ whose linkage names have most of what a decorated name can have: types and templates
                          inside of others, drawn by a fixed seed, each as a parameter and as an argument of a class
microsoft_names.py CSV    compares tm-top's functions with standard input, which is llvm-undname's: pairs of lines, a
                          name and how it is shown
"""
import csv
import random
import sys

FIXED = r"""
template <class... T> struct L {};
template <int N> struct A {};
template <auto P> struct P2 {};
template <class T> struct V {
    T *t;
    static T *s;
    V() : t() {}
    virtual ~V() {}
    template <class U> int put(U *u, T *x) const { static int n; auto l = [&](T *, U *) { static int deep; return ++deep; }; return l(x, u) + ++n; }
    operator T *() const { return t; }
    V &operator=(const V &) { return *this; }
    virtual void f(T *) {}
    T *operator[](int) volatile { return t; }
    T *operator()(T *, T *) { return t; }
    bool operator<(const V &) const { return false; }
    auto operator<=>(const V &) const -> int { return 0; }
    V operator+(V v) { return v; }
    V &operator++() { return *this; }
    V operator++(int) { return *this; }
    void *operator new(decltype(sizeof 0)) { return nullptr; }
    void operator delete(void *) {}
    struct In { T *x; static int q(T *) { return 1; } };
};
template <class T> T *V<T>::s;
enum class E : short { a, b };
enum F { fa };
union U1 { int i; };
int gv;
namespace a { namespace b { struct S { int m; int g(int); struct In {}; }; enum G { ga }; } inline namespace v1 { class C {}; } }
namespace { struct Anon { int x; }; int anon_fn(Anon *) { return 3; } }
struct B1 { virtual void x(); int a; };
struct B2 { virtual void y(); int b; };
struct D : B1, virtual B2 { void x() override; void y() override; ~D(); };
void D::x() {} void D::y() {} D::~D() {} void B1::x() {} void B2::y() {}
D dd;
thread_local int tl = anon_fn(nullptr);
int &ref = gv;
const char *texts() { return "hello world"; }
const wchar_t *wide() { return L"wide"; }
void __vectorcall vc(int) {} void __fastcall fc(int) {}
template <class C> void call(C c) { c(); }
void lambdas() { call([] { static int z; z++; }); int i = 0; call([=]() mutable { i++; }); }
void noex(void (*)(int) noexcept) {}
template <class T> constexpr int tv = sizeof(T);
const int *ptv() { return &tv<char>; }
unsigned long long operator""_lit(unsigned long long x) { return x; }
"""
TYPES = """int;unsigned char;long long;double;const char;a::b::S;a::b::S::In;a::C;void(int,char);int[3];int a::b::S::*
int (a::b::S::*)(int);E;F;U1;A<3>;A<-7>;L<int,char>;L<>;wchar_t;char16_t;char8_t;bool;float;long;unsigned long long;a::b::G
P2<&gv>;P2<5u>;P2<&a::b::S::m>;P2<&a::b::S::g>;decltype(nullptr);const volatile int;int* const;V<int>;V<a::b::S>::In
L<L<int>,L<char*>>;int(*)(a::b::S*,...);signed char;short;const a::C&(*)(int&&,char(&)[4][5]);char[4][5]""".replace(
    "\n", ";").split(";")
MADE = 330


def make():
    draw = random.Random(38)
    print(FIXED)
    names = []
    for text in TYPES:
        print(f"using T{len(names)} = {text};")
        names.append(f"T{len(names)}")
    for _ in range(MADE):
        shape = draw.choice(["L<%s>", "L<%s>", "V<L<%s>>", "int(%s)", "V<V<L<%s>>>::In"])
        parts = [draw.choice(["%s*", "const %s*", "L<%s*>", "%s**", "V<%s>", "V<%s>*"]) % draw.choice(names)
                 for _ in range(draw.randint(1, 4))]
        print(f"using T{len(names)} = {shape % ','.join(parts)};")
        names.append(f"T{len(names)}")
    for i, t in enumerate(names):
        u, v, w = draw.sample(names, 3)
        print(f"template struct V<{t}>;")
        print(f"void f{i}({t}*, const {u}*, {v}***, {u}* const) {{}}")
        print(f"int g{i}(V<{t}> *v, {w} *x, {t} *y) {{ return v->put(x, y); }}")


def compare(table):
    lines = iter(sys.stdin.read().split("\n"))
    want = {}
    for line in lines:
        if line.startswith("?"):
            want[line] = next(lines)
    with open(table, newline="", encoding="utf-8") as f:
        got = {row["function"] for row in csv.DictReader(f)}
    raw = sum(not text or text.startswith("error") for text in want.values())
    wanted = set(want.values())
    print(len(want), len(wanted), raw, len(wanted ^ got))
    for text in sorted(wanted ^ got)[:3]:
        print(f"# {text[:200]}", file=sys.stderr)


if len(sys.argv) > 1:
    compare(sys.argv[1])
else:
    make()
