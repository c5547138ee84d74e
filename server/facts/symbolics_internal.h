/// How a database lies in memory; shared by the files of facts/ only.
///
/// Ownership: a layer borrows the compiled bytes. What is unpacked lives in the database's arena, once, in `slots`.
/// Units:     a slot is the index of a name in a layer's table.
/// Errors:    bytes are checked when a layer is opened; an entry that cannot be unpacked is treated as absent.
/// Threads:   `slots` are read with acquire; the lock is held while one is filled.
/// Sources:   symbolics-db/symbolics.proto.
#pragma once

#include <pthread.h>
#include <stdatomic.h>

#include "base/limits.h"
#include "facts/symbolics.h"
#include "facts/wire.h"

enum {
  NO_SLOT = -1,
};

typedef struct TorchVersion {
  Str version;
  uint32_t major, minor;
  OpsetRange ranges[2];  ///< By exporter; max 0 if there is none.
  bool has_facts[2];     ///< By exporter: does any operator have support in this version?
  Str suffixes[16];
  uint32_t suffix_count;
} TorchVersion;

typedef struct OnnxDomainRange {
  Str name;
  uint32_t first, count;
} OnnxDomainRange;

/// The tables of one set of compiled facts, where they lie.
typedef struct Layer {
  Str name;
  Str bytes;
  Str data;  ///< The part of them that holds the strings of all Blobs.
  TorchVersion *versions;
  uint32_t version_count;
  Blobs torch_names, torch_entries, torch_outcomes, torch_texts;
  Str places, rows, registered, blocked, flags, pass;  ///< Columns.
  PassNote *passes;
  uint32_t pass_count;
  OnnxDomainRange *domains;
  uint32_t domain_count;
  Blobs onnx_names, onnx_entries, type_sets;
  Str python;    ///< A PythonTable; not checked before it is unpacked.
  Str messages;  ///< A MessageTable, likewise.
  Blobs function_names, function_operators;
  Str function_versions;  ///< A column.
} Layer;

typedef _Atomic(void *) Slot;

/// Slots by the numbers of a layer's names; made when the first of them is asked for.
typedef struct Slots {
  Slot items;
  uint32_t count;
} Slots;

/// Element types that a constraint allows; NULL before first use.
typedef struct OnnxTypeSet {
  const Str *types;
  uint32_t count;
  uint32_t elements;  ///< See OnnxConstraint.
} OnnxTypeSet;

typedef struct Stack {
  const Layer *layer;
  int8_t local_version[SYMBOLICS_TORCH_LIMIT];  ///< The layer's index of each of the database's versions, or -1.
  Slots torch;                                  ///< TorchOperator by name; used in the newest layer that has the name.
  Slots outcomes;                               ///< Its outcomes, likewise.
  Slots dynamo;                                 ///< What the layer says of a torch operator, unpacked, for dynamo.c.
  Slots onnx;                                   ///< OnnxOperator by name.
  OnnxTypeSet *type_sets;                       ///< Split on first use, under the lock.
  Slot python;                                  ///< The layer's PythonTable (export_api.h); NULL before first use.
  Slot messages;                                ///< The layer's MessageTable (messages.c), likewise.
} Stack;

struct SymbolicsDb {
  Stack stack[FACTS_LAYER_LIMIT];  ///< Oldest first.
  uint32_t layer_count;
  Layer own;  ///< The newest layer; the others belong to the databases below.
  Str version_names[SYMBOLICS_TORCH_LIMIT];
  const TorchVersion *versions[SYMBOLICS_TORCH_LIMIT];  ///< Of the newest layer that knows it.
  bool has_facts[SYMBOLICS_TORCH_LIMIT][2];
  uint32_t version_count;
  Arena arena;  ///< After opening: only under the lock.
  pthread_mutex_t lock;
};

typedef void *SlotBuild(SymbolicsDb *db, const void *what);

/// What the slot of the database holds; `build` makes it under the lock when it is first asked for.
void *slot_get(const SymbolicsDb *db, const Slot *slot, SlotBuild *build, const void *what);
/// The same of one of many.
void *slots_get(const SymbolicsDb *db, const Slots *slots, uint32_t at, SlotBuild *build, const void *what);

/// Reads the tables of `bytes` into `*layer`, using `arena` for the small ones. ERR_FORMAT if an index would lead
/// astray; what is built in is not asked.
MUST_USE Status layer_init(Layer *layer, Str bytes, bool is_built_in, Arena *arena);
/// NO_SLOT if the layer does not have the name.
int64_t layer_find_torch(const Layer *layer, Str name);
int64_t layer_find_onnx(const Layer *layer, Str domain, Str name);
/// NULL if the layer has no such domain.
const OnnxDomainRange *layer_find_domain(const Layer *layer, Str domain);

/// A set of the layer's torch versions as a set of the database's.
uint32_t layer_map_versions(const SymbolicsDb *db, const Stack *stack, uint32_t local_mask);

/// Unpacks with protobuf-c into an arena.
struct ProtobufCMessageDescriptor;
void *layer_unpack(const struct ProtobufCMessageDescriptor *descriptor, Str bytes, Arena *arena);
/// A Symbolics__TorchOperator.
void *layer_unpack_operator(const Layer *layer, uint32_t slot, Arena *arena);

/// From what is known of an operator or one overload: `first` opset of a function (0: none) and the two flags.
DynamoAnswer layer_dynamo_answer(uint32_t first, bool decomposed, bool complex_inputs, int opset, OpsetRange range);

/// symbolics_torchlib_since(), by what one layer says.
Str layer_torchlib_since(const SymbolicsDb *db, uint32_t layer, Str name);

/// Whether any layer has outcomes of that exact name.
bool symbolics_has_outcomes(const SymbolicsDb *db, uint32_t torch, Str name);
/// The operator's name of a kind as printed: without the underscore of an in-place variant.
Str symbolics_support_name(Str kind);
