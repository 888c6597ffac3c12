#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# usage: installed.sh BUILD. What `cmake --install` leaves, after the prefix was moved: the layout,
# pkg-config, CMake packages, modulefile, manuals, completions.
set -eu
build=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "FAILED: $1" >&2; exit 1; }

cmake --install "$build" --prefix "$work/first" >/dev/null || fail install
mv "$work/first" "$work/moved"
prefix=$work/moved
lib=$(dirname "$(find "$prefix" -name libuccs.so)")

# The layout.
for name in oshrun uccsrun uccs-info osh_info oshmem_info oshcc oshc++ oshCC oshcxx oshfort shmemcc shmemc++ shmemfort; do
  "$prefix/bin/$name" --help >/dev/null || fail "bin/$name"
done
for file in shmem.h shmemx.h pshmem.h mpp/shmem.h mpp/shmemx.h shmem.fh mpp/shmem.fh uccs/uccs.h; do
  [ -f "$prefix/include/$file" ] || fail "include/$file"
done
for name in libuccs.so libsma.so liboshmem.so; do
  [ "$(readlink -f "$lib/$name")" = "$(readlink -f "$lib/libuccs.so")" ] || fail "$name"
done
[ -f "$prefix/share/uccs/fortran/shmem.f90" ] || fail 'the source of the module'
if grep -rlI "$build" "$prefix"; then fail 'these files name the build tree'; fi
if readelf -d "$prefix/bin/uccs-info" | grep -i 'r.*path' | grep -v 'ORIGIN'; then fail 'a run path leads elsewhere'; fi

cat >"$work/hello.c" <<'C'
#include <shmem.h>
#include <stdio.h>
static long sum;
int main(void) {
  shmem_init();
  shmem_long_atomic_add(&sum, 4, 0);
  shmem_barrier_all();
  if (shmem_my_pe() == 0) printf("%ld %d\n", sum, shmem_n_pes());
  shmem_finalize();
  return 0;
}
C
cp "$work/hello.c" "$work/hello.cpp"
cat >"$work/hello.f90" <<'F'
program hello
  use shmem
  call shmem_init()
  if (shmem_my_pe() == 0) print '(i0)', shmem_n_pes()
  call shmem_finalize()
end program hello
F
has_fortran=no
if [ -f "$prefix/include/shmem.mod" ] && command -v gfortran >/dev/null; then has_fortran=yes; fi

# pkg-config; libsma and liboshmem by hand.
PKG_CONFIG_PATH=$lib/pkgconfig
export PKG_CONFIG_PATH
for package in uccs oshmem oshmem-c oshmem-cxx oshmem-fort; do
  pkg-config --validate "$package" || fail "pkg-config --validate $package"
  [ "$(pkg-config --modversion "$package")" = "$("$prefix/bin/uccs-info" --version | cut -d' ' -f2)" ] ||
    fail "pkg-config --modversion $package"
  # shellcheck disable=SC2046
  case $package in
    *cxx) g++ "$work/hello.cpp" $(pkg-config --cflags --libs $package) -o "$work/a" ;;
    *fort) [ $has_fortran = no ] || gfortran "$work/hello.f90" $(pkg-config --cflags --libs $package) -o "$work/f" ;;
    *) gcc "$work/hello.c" $(pkg-config --cflags --libs $package) -o "$work/a" ;;
  esac || fail "pkg-config $package"
  [ "$("$work/a")" = '4 1' ] || fail "pkg-config $package: output"
done
[ $has_fortran = no ] || [ "$("$prefix/bin/oshrun" -n 2 "$work/f")" = 2 ] || fail 'pkg-config oshmem-fort: output'
for name in sma oshmem; do
  gcc "$work/hello.c" -I "$prefix/include" -L "$lib" -Wl,-rpath,"$lib" -l$name -o "$work/a" || fail "-l$name"
  [ "$("$prefix/bin/oshrun" -n 2 "$work/a")" = '8 2' ] || fail "-l$name: output"
done

# GASNet under its own packages' names, too.
cat >"$work/gasnet.c" <<'C'
#include <gasnet.h>
#include <stdio.h>
int main(int argc, char **argv) {
  if (gasnet_init(&argc, &argv) || gasnet_attach(NULL, 0, GASNET_PAGESIZE, 0)) return 1;
  if (gasnet_mynode() == 0) printf("%s %u\n", GASNET_CONFIG_STRING, gasnet_nodes());
  gasnet_exit(0);
}
C
for package in uccs-gasnet gasnet-uccs-par gasnet-smp-par; do
  # shellcheck disable=SC2046
  gcc "$work/gasnet.c" $(pkg-config --cflags --libs "$package") -o "$work/g" || fail "pkg-config $package"
  "$work/g" | grep -q ',PAR,FAST 1$' || fail "pkg-config $package: output"
done

# A project elsewhere that finds the packages.
mkdir "$work/project"
languages='C CXX'
[ $has_fortran = no ] || languages="$languages Fortran"
cat >"$work/project/CMakeLists.txt" <<T
cmake_minimum_required(VERSION 3.16)
project(user $languages)
find_package(OpenSHMEM 0.1 REQUIRED)
find_package(UCCS REQUIRED)
add_executable(c ../hello.c)
target_link_libraries(c OpenSHMEM::openshmem)
add_executable(cxx ../hello.cpp)
target_link_libraries(cxx UCCS::uccs)
if(CMAKE_Fortran_COMPILER)
  add_executable(fortran ../hello.f90)
  target_link_libraries(fortran \${OpenSHMEM_LIBRARIES})
endif()
foreach(tool OpenSHMEM_LAUNCHER OpenSHMEM_C_COMPILER OpenSHMEM_CXX_COMPILER OpenSHMEM_Fortran_COMPILER)
  if(NOT \${tool} MATCHES "^$prefix/bin/osh")
    message(FATAL_ERROR "\${tool} is '\${\${tool}}'")
  endif()
endforeach()
enable_testing()
add_test(NAME two COMMAND \${OpenSHMEM_LAUNCHER} -n 2 \$<TARGET_FILE:c>)
T
CMAKE_GENERATOR=Ninja
export CMAKE_GENERATOR
cmake -S "$work/project" -B "$work/project/build" -DCMAKE_PREFIX_PATH="$prefix" >"$work/log" 2>&1 &&
  cmake --build "$work/project/build" >>"$work/log" 2>&1 || { cat "$work/log"; fail 'CMake packages'; }
[ "$("$work/project/build/c")" = '4 1' ] || fail 'CMake packages: output'
[ "$("$prefix/bin/oshrun" -n 2 "$work/project/build/cxx")" = '8 2' ] || fail 'CMake packages: output of C++'
(cd "$work/project/build" && ctest >"$work/log" 2>&1) || { cat "$work/log"; fail 'CMake packages: launcher'; }

# Modulefile, by Environment Modules where they are installed.
if [ -f /usr/share/modules/init/sh ]; then
  # shellcheck disable=SC2016
  sh -c '. /usr/share/modules/init/sh; module use "$1/share/modulefiles"; module load uccs || exit 1
    [ "$(command -v oshcc)" = "$1/bin/oshcc" ] && [ "$UCCS_ROOT" = "$1" ] && case :$PKG_CONFIG_PATH: in
    *:$2/pkgconfig:*) ;; *) exit 1 ;; esac && case :$CMAKE_PREFIX_PATH: in *:$1:*) ;; *) exit 1 ;; esac &&
    case $LD_LIBRARY_PATH in $2*) ;; *) exit 1 ;; esac && man -w shmem_long_put | grep -q "^$1/"' sh "$prefix" "$lib" ||
    fail modulefile
fi
MANPATH=$prefix/share/man man -w shmem_put oshrun openshmem >/dev/null || fail manuals

# bash completes.
complete() { # $@: the words; the last one is completed
  # shellcheck disable=SC2016
  bash -c '. "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _uccs_uccsrun; echo "${COMPREPLY[*]}"' \
    bash "$prefix/share/bash-completion/completions/oshrun" "$@"
}
[ "$(complete oshrun --bi)" = --bind ] || fail 'completion of an option'
[ "$(complete oshrun --bind s)" = socket ] || fail 'completion of a value'
for shell in zsh fish; do
  command -v $shell >/dev/null || continue
  for file in "$prefix"/share/$shell/*/*; do $shell -n "$file" || fail "$file"; done
done
echo 'the installation works'
