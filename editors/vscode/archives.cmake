# For build.sh: libraries are linked into the program. Included after project(), which sets what this changes.
set(CMAKE_FIND_LIBRARY_SUFFIXES .a)
