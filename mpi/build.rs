//! Compiles the shim with whatever MPI's compiler `$MPICC` is (`mpicc` unless set), and links what that says.

#![allow(missing_docs)]

use std::path::Path;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-env-changed=MPICC");
    println!("cargo::rerun-if-changed=src/shim.c");
    let mpicc = std::env::var("MPICC").unwrap_or_else(|_| "mpicc".to_owned());
    let output = std::env::var("OUT_DIR").expect("cargo sets it");
    let object = Path::new(&output).join("shim.o");
    let archive = Path::new(&output).join("libthalweg_mpi_shim.a");
    let run = |command: &mut Command| {
        let status = command.output().unwrap_or_else(|error| {
            panic!("{command:?}: {error}; install an MPI (libopenmpi-dev, libmpich-dev), or name its compiler with MPICC")
        });
        let said = String::from_utf8_lossy(&status.stderr).into_owned();
        assert!(status.status.success(), "{command:?} failed: {said}");
        String::from_utf8_lossy(&status.stdout).into_owned()
    };
    run(Command::new(&mpicc)
        .args(["-O2", "-Wall", "-Werror", "-fPIC", "-c", "src/shim.c", "-o"])
        .arg(&object));
    run(Command::new("ar").args(["crs"]).args([&archive, &object]));
    println!("cargo::rustc-link-search=native={output}");
    println!("cargo::rustc-link-lib=static=thalweg_mpi_shim");
    for word in run(Command::new(&mpicc).arg("-show")).split_whitespace() {
        if let Some(directory) = word.strip_prefix("-L") {
            println!("cargo::rustc-link-search=native={directory}");
        } else if let Some(library) = word.strip_prefix("-l") {
            println!("cargo::rustc-link-lib={library}");
        }
    }
}
