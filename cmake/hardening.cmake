# Every build is hardened, not only the packaged ones: whoever opens a stranger's repository runs what ./dev build made.
# A flag that this compiler or linker doesn't know (clang, another processor) is left out; tests/cli/hardening.test.mjs
# looks at what came of it. With sanitizers the program lies at one place: each start would move their tables.
include(CheckCCompilerFlag)
include(CheckLinkerFlag)
include(CheckSymbolExists)

function(harden_compiling flag)
  string(MAKE_C_IDENTIFIER "ONNXLS_HAS${flag}" known)
  check_c_compiler_flag(${flag} ${known})
  if(${known})
    add_compile_options(${flag})
  endif()
endfunction()

function(harden_linking flag)
  string(MAKE_C_IDENTIFIER "ONNXLS_LINKS${flag}" known)
  check_linker_flag(C ${flag} ${known})
  if(${known})
    add_link_options(${flag})
  endif()
endfunction()

harden_compiling(-fstack-protector-strong)
if(WIN32)  # The rest is its own there, and stack clash protection breaks gcc 12 for Windows.
  harden_linking(-Wl,--dynamicbase)
  harden_linking(-Wl,--nxcompat)
  harden_linking(-Wl,--high-entropy-va)
else()
  if(ONNXLS_SANITIZE)
    harden_linking(-no-pie)
  else()
    harden_compiling(-fPIE)
    harden_linking(-pie)
    # Where tables point to is then told to the loader in 2 kB and not in 200. Its linker would also write it for an older
    # C library, which can't read it; and what brings its libraries along promises to run with one.
    check_symbol_exists(pidfd_open sys/pidfd.h ONNXLS_GLIBC_2_36)
    if(ONNXLS_GLIBC_2_36 AND NOT ONNXLS_STATIC_LIBRARIES)
      harden_linking(-Wl,-z,pack-relative-relocs)
    endif()
  endif()
  harden_compiling(-fstack-clash-protection)
  harden_compiling(-fcf-protection=full)
  harden_linking(-Wl,-z,relro)
  harden_linking(-Wl,-z,now)
  harden_linking(-Wl,-z,noexecstack)
endif()

# It needs optimised code, and hides faults from sanitizers, which look closer. The C library takes 2 where 3 is unknown.
if(NOT ONNXLS_SANITIZE AND NOT ONNXLS_FUZZ)
  add_compile_options("$<$<NOT:$<CONFIG:Debug,Demo>>:-U_FORTIFY_SOURCE;-D_FORTIFY_SOURCE=3>")
endif()
