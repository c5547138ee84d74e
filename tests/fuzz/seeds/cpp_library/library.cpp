#include <torch/library.h>
// TORCH_LIBRARY(no, m) { m.def("no(Tensor x) -> Tensor"); }
#define REG(ns, m) TORCH_LIBRARY(ns, m)
at::Tensor foo(const at::Tensor& x, double a) { return x * a; }
#if 0
TORCH_LIBRARY(off, m) { m.def("foo(Tensor x) -> Tensor"); }
#endif
TORCH_LIBRARY(mylib, m) {
  m.def("foo(Tensor x, float a=1.5) -> Tensor");
  m.def(R"(bar(Tensor x,
       int[] dims) -> (Tensor, Tensor))");
  m.def("baz" "(Tensor x)" " -> Tensor", &foo);
  m.def(torch::schema("qux.out(Tensor x, *, Tensor(a!) out)->Tensor(a!)"));
  m.def("inferred", &foo);
}
TORCH_LIBRARY_IMPL(mylib, CPU, m) { m.impl("foo", &foo); }
