// Names of what other Python files have.

#include "core/workspace_names.h"

#include "core/language.h"
#include "text/path.h"

/// Whether the path of a module's file, without `.py`, ends with `module` ("pkg.mod").
static bool path_has_module(Str path, Str module)
{
  if (module.len == 0 || path.len < module.len)
    return false;
  Str tail = str_slice(path, path.len - module.len, path.len);
  for (size_t i = 0; i < module.len; i++) {
    if (tail.data[i] != (module.data[i] == '.' ? '/' : module.data[i]))
      return false;
  }
  return path.len == module.len || path.data[path.len - module.len - 1] == '/';
}

/// A folder of that name hides an installed package only from files below the folder that it is in: a workspace of many
/// projects may have another one's `tools/onnx`.
static bool is_hidden_by(Str path, Str module, Str from)
{
  static const char *const installed[] = { "numpy",      "onnx",  "onnx_ir",    "onnxruntime",
                                           "onnxscript", "torch", "torchvision" };
  Str package = str_slice(module, 0, str_find_char(module, '.', 0));
  return !str_is_one_of(package, installed, COUNT(installed)) ||
         str_starts_with(from, str_slice(path, 0, path.len - module.len));
}

/// The same with the path of a module's file, without `.py`.
static bool is_module_at(Str path, Str module, Str from)
{
  if (module.len == 0 || module.data[0] != '.')
    return path_has_module(path, module) && is_hidden_by(path, module, from);
  Str folder = from;
  for (; module.len > 0 && module.data[0] == '.'; module = str_slice(module, 1, module.len))
    folder = path_parent(folder);
  if (module.len == 0)
    return str_equal(path, folder);
  return str_starts_with(path, folder) && path.len == folder.len + 1 + module.len && path_has_module(path, module);
}

bool workspace_is_module_file(Str uri, Str module, Str from)
{
  Str path = language_without_ending(uri, IN_CODE);
  if (str_ends_with(path, STR("/__init__")))
    path = str_slice(path, 0, path.len - 9);
  return path.len > 0 && is_module_at(path, module, from);
}

bool workspace_is_in_package(Str uri, Str package, Str from)
{
  Str folder = path_parent(uri);
  return folder.len > 0 && is_module_at(folder, package, from);
}

size_t workspace_nearness(Str a, Str b)
{
  size_t same = 0;
  size_t folders = 0;
  for (; same < a.len && same < b.len && a.data[same] == b.data[same]; same++)
    folders += a.data[same] == '/';
  return folders;
}

size_t workspace_depth_of(Str uri)
{
  size_t folders = 0;
  for (size_t i = 0; i < uri.len; i++)
    folders += uri.data[i] == '/';
  return folders;
}

ForeignName workspace_foreign_name(Str qualified)
{
  size_t dot = str_rfind_char(qualified, '.');
  if (dot == STR_NOT_FOUND)
    return (ForeignName){ .function = qualified };
  // The dot of `from . import name` belongs to the module.
  size_t end = dot > 0 && qualified.data[dot - 1] != '.' ? dot : dot + 1;
  return (ForeignName){ str_slice(qualified, 0, end), str_slice(qualified, dot + 1, qualified.len) };
}
