/// The cells of a notebook, of whose code one document is made: which lines of it are whose.
///
/// Ownership: reference-counted; the cells live as long as the map.
/// Units:     lines are 0-based.
/// Threads:   immutable; retain and release from any thread.
/// Sources:   nbformat, "The Notebook file format"; LSP 3.17 "Notebook Document Synchronization".
#pragma once

#include "base/memory.h"

typedef struct Cell {
  Str uri;              ///< Of the cell's own document in an editor; empty if it has none.
  int64_t version;      ///< The editor's, of that document.
  uint32_t number;      ///< From 1, among all cells of the notebook, text too.
  uint32_t first_line;  ///< In the document made of all of them. A cell has one line at least.
} Cell;

typedef struct CellMap CellMap;

/// Copies the cells, which are in order of their lines.
CellMap *cells_new(const Cell *cells, size_t count);
/// NULL is fine for both.
CellMap *cells_retain(const CellMap *map);
void cells_release(CellMap *map);

size_t cells_count(const CellMap *map);
const Cell *cells_item(const CellMap *map, size_t index);
/// The cell with the line; NULL if there is no map, or it is empty.
const Cell *cells_at_line(const CellMap *map, uint32_t line);
/// The cell of that URI; NULL if there is none.
const Cell *cells_find(const CellMap *map, Str uri);
/// "line 12", or "line 2 of cell 3".
Str cells_line_words(const CellMap *map, uint32_t line, Arena *arena);
