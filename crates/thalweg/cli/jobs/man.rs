//! `thalweg man`

use crate::options::{self, ManArguments};
use crate::output::{self, Output};
use crate::process::exit::Failure;

pub(crate) fn run(arguments: &ManArguments) -> Result<(), Failure> {
    let mut command = options::command();
    // Gives the subcommands their full names: thalweg-index, ...
    command.build();
    let Some(directory) = &arguments.directory else {
        return output::print(&page(command));
    };
    std::fs::create_dir_all(directory).map_err(|error| Failure::io(directory, error))?;
    let mut pages = 0;
    for command in with_subcommands(command) {
        let name = command.get_display_name().unwrap_or(command.get_name());
        let mut output = Output::create(&directory.join(format!("{name}.1")))?;
        output.write(page(command).as_bytes())?;
        output.finish()?;
        pages += 1;
    }
    tell!("thalweg: {pages} pages written to {}", directory.display());
    Ok(())
}

/// The command and all below it.
fn with_subcommands(command: clap::Command) -> Vec<clap::Command> {
    let below = command
        .get_subcommands()
        .filter(|below| below.get_name() != "help");
    let below: Vec<_> = below.cloned().flat_map(with_subcommands).collect();
    std::iter::once(command).chain(below).collect()
}

fn page(command: clap::Command) -> String {
    let mut page = Vec::new();
    clap_mangen::Man::new(command)
        .render(&mut page)
        .expect("writing to memory does not fail");
    String::from_utf8_lossy(&page).into_owned()
}
