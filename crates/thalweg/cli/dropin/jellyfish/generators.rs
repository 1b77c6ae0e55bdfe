//! `-g`: commands whose output is read like a file.

use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};

use thalweg::count::TemporaryDatabase;
use thalweg::files::read_text_list;
use thalweg::write::{is_stream, resolve};

use super::arguments::Input;
use crate::jobs::kmers::Fault;
use crate::process::exit::Failure;

/// The shell, if neither -S nor the environment names one.
const SHELL: &str = "/bin/sh";

/// After a command failed.
const OF_FILE: &str = "its output may be truncated, so nothing was written";
const OF_STREAM: &str = "its output may be truncated: do not use what was written";

/// Commands that run, or wait for their output to be read.
pub(super) struct Generators(Vec<Generator>);

struct Generator {
    command: String,
    child: Child,
    output: ChildStdout,
}

impl Generators {
    /// Calls `count` with the names of everything that is to be read, and the name under which it writes `output`.
    ///
    /// Where commands run, that is another one until all have ended well; a stream has no other name.
    pub(super) fn with(
        input: &Input,
        output: &Path,
        count: impl FnOnce(&[PathBuf], &Path) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        let Some(file) = &input.generator else {
            return count(&input.files, output);
        };
        // Before there is a temporary file: from then on signals are held back, in what is started, too.
        let generators = Self::start(file, input.shell.as_deref())?;
        let files: Vec<PathBuf> = generators.paths().chain(input.files.clone()).collect();
        if files.is_empty() {
            let hint = "it has a command on each line";
            return Err(Failure::usage(format!("{}: no commands", file.display()), hint).into());
        }
        if is_stream(output) {
            count(&files, output)?;
            return Ok(generators.finish(OF_STREAM)?);
        }
        let unfinished = TemporaryDatabase::beside(output)?;
        count(&files, unfinished.path()).map_err(|fault| fault.told_by(&unfinished))?;
        generators.finish(OF_FILE)?;
        // A link stays; what it points to is replaced.
        let fail = |error| Failure::io(output, error);
        std::fs::rename(unfinished.path(), resolve(output)).map_err(fail)?;
        Ok(())
    }

    /// Starts the command of every line of `file`. A command runs ahead of the reader by what a pipe holds.
    fn start(file: &Path, shell: Option<&Path>) -> Result<Self, Failure> {
        let commands = read_text_list(file).map_err(|error| Failure::io(file, error))?;
        let shell = shell.map(Path::to_owned);
        let shell = shell
            .or_else(|| std::env::var_os("SHELL").map(PathBuf::from))
            .unwrap_or_else(|| PathBuf::from(SHELL));
        let mut generators = Vec::new();
        for command in commands.lines().filter(|line| !line.trim().is_empty()) {
            let fail = |error| Failure::io(&shell, error);
            let mut child = Command::new(&shell)
                .args(["-c", command])
                .stdin(Stdio::null())
                .stdout(Stdio::piped())
                .spawn()
                .map_err(fail)?;
            let output = child.stdout.take();
            generators.push(Generator {
                command: command.to_owned(),
                child,
                output: output.ok_or_else(|| fail(std::io::ErrorKind::BrokenPipe.into()))?,
            });
        }
        Ok(Self(generators))
    }

    /// Names under which this process reads what the commands write.
    fn paths(&self) -> impl Iterator<Item = PathBuf> {
        let numbers = self.0.iter().map(|generator| generator.output.as_raw_fd());
        numbers.map(|number| PathBuf::from(format!("/dev/fd/{number}")))
    }

    /// To be called when all was read: a command that failed may have written only part of its output.
    fn finish(self, hint: &'static str) -> Result<(), Failure> {
        for mut generator in self.0 {
            drop(generator.output);
            let status = generator.child.wait();
            let status = status.map_err(|error| Failure::io(Path::new(SHELL), error))?;
            if !status.success() {
                return Err(Failure::usage(
                    format!("the command '{}' failed: {status}", generator.command),
                    hint,
                ));
            }
        }
        Ok(())
    }
}
