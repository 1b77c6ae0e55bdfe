//! Completions for KMC's programs. Their options have one dash, several letters, and values attached, which no table of clap's
//! can say: so these are lists of words.

use clap_complete::Shell;

/// A program, and what its command line may have.
pub(crate) struct Program {
    pub(crate) name: &'static str,
    /// What may be the first word that is no option.
    tools: &'static [&'static str],
    /// What may stand among names of files.
    operations: &'static [&'static str],
    options: &'static [Word],
}

/// An option, whether a value stands behind it in the same word, and what it does.
type Word = (&'static str, bool, &'static str);

const LEAST: Word = ("-ci", true, "Leave out k-mers that occur less often");
const MOST: Word = ("-cx", true, "Leave out k-mers that occur more often");
const LARGEST: Word = ("-cs", true, "Cut larger counts to this");
const THREADS: Word = ("-t", true, "Number of threads");

pub(crate) const KMC: Program = Program {
    name: "kmc",
    tools: &[],
    operations: &[],
    options: &[
        ("-k", true, "Bases of a k-mer"),
        LEAST,
        MOST,
        LARGEST,
        ("-b", false, "Count the two strands separately"),
        THREADS,
        ("-m", true, "Memory of the process in GB"),
        ("-j", true, "Write a summary in JSON to this file"),
        ("-w", false, "Write no database"),
    ],
};

pub(crate) const KMC_DUMP: Program = Program {
    name: "kmc_dump",
    tools: &[],
    operations: &[],
    options: &[LEAST, MOST],
};

pub(crate) const KMC_TOOLS: Program = Program {
    name: "kmc_tools",
    tools: &["transform", "simple", "filter", "info"],
    operations: &[
        "histogram",
        "dump",
        "sort",
        "reduce",
        "compact",
        "union",
        "intersect",
        "kmers_subtract",
        "counters_subtract",
        "reverse_kmers_subtract",
        "reverse_counters_subtract",
    ],
    options: &[
        THREADS,
        LEAST,
        MOST,
        LARGEST,
        ("-ocmin", false, "The smaller count of two"),
        ("-ocmax", false, "The larger count of two"),
        ("-ocsum", false, "The sum of two counts"),
        ("-ocleft", false, "The count of the first database"),
        ("-ocright", false, "The count of the second database"),
    ],
};

impl Program {
    /// The script for a shell, if there is one for it.
    pub(crate) fn script(&self, shell: Shell) -> Option<String> {
        match shell {
            Shell::Bash => Some(self.to_bash()),
            Shell::Zsh => Some(self.to_zsh()),
            Shell::Fish => Some(self.to_fish()),
            _ => None,
        }
    }

    fn to_bash(&self) -> String {
        let words = |keep: &dyn Fn(&Word) -> bool| -> String {
            let words = self.options.iter().filter(|word| keep(word));
            words.map(|word| word.0).collect::<Vec<_>>().join(" ")
        };
        let (all, attached) = (words(&|_| true), words(&|word| word.1));
        let (name, tools, operations) =
            (self.name, self.tools.join(" "), self.operations.join(" "));
        // Options may stand before the tool. Where nothing fits, names of files do.
        format!(
            "_{name}() {{
    local current=${{COMP_WORDS[COMP_CWORD]}} words='{operations}' tools='{tools}' word before=0
    for word in \"${{COMP_WORDS[@]:1:COMP_CWORD - 1}}\"; do
        [[ $word == -* ]] || ((before += 1))
    done
    if [[ $current == -* ]]; then
        words='{all}'
    elif ((before == 0)); then
        words=$tools
    fi
    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\")
    if [[ $current != -* ]] && {{ ((before > 0)) || [[ -z $tools ]]; }}; then
        compopt -o filenames
        mapfile -t -O ${{#COMPREPLY[@]}} COMPREPLY < <(compgen -f -- \"$current\")
    fi
    if ((${{#COMPREPLY[@]}} == 1)) && [[ ' {attached} ' == *\" ${{COMPREPLY[0]}} \"* ]]; then
        compopt -o nospace
    fi
}}
complete -o bashdefault -o default -F _{name} {name}
"
        )
    }

    fn to_zsh(&self) -> String {
        let option = |(word, is_attached, help): &Word| match is_attached {
            true => format!("    '*{word}-[{help}]:value:' \\\n"),
            false => format!("    '*{word}[{help}]' \\\n"),
        };
        let options: String = self.options.iter().map(option).collect();
        let (name, tools, operations) =
            (self.name, self.tools.join(" "), self.operations.join(" "));
        let names = match self.tools {
            [] => "    '*:file:_files'".to_owned(),
            _ => format!(
                "    '1:tool:({tools})' \\\n    \
                 '*:name:_alternative \"operations:operation:({operations})\" \"files:file:_files\"'"
            ),
        };
        format!("#compdef {name}\n\n_arguments \\\n{options}{names}\n")
    }

    fn to_fish(&self) -> String {
        let name = self.name;
        let option =
            |(word, _, help): &Word| format!("complete -c {name} -o {} -d '{help}'\n", &word[1..]);
        let mut script: String = self.options.iter().map(option).collect();
        if !self.tools.is_empty() {
            let (tools, operations) = (self.tools.join(" "), self.operations.join(" "));
            script.push_str(&format!(
                "complete -c {name} -n '__fish_is_first_arg' -f -a '{tools}'\n\
                 complete -c {name} -n 'not __fish_is_first_arg' -a '{operations}'\n"
            ));
        }
        script
    }
}

#[cfg(test)]
mod tests {
    use super::super::arguments::{CountArguments, DumpArguments};
    use super::super::tools::is_taken;
    use super::*;

    /// What is completed is taken.
    #[test]
    fn all_words_are_known() {
        let [count, dump, tools] = [&KMC, &KMC_DUMP, &KMC_TOOLS];
        let line = |(word, is_attached, _): &Word, names: &str| {
            let value = if *is_attached { "1" } else { "" };
            let line = format!("{word}{value} {names}");
            line.split(' ').map(str::to_owned).collect::<Vec<_>>()
        };
        for option in count.options {
            let parsed = CountArguments::parse(line(option, "in out tmp").into_iter());
            assert!(parsed.is_ok(), "{}", option.0);
        }
        for option in dump.options {
            let parsed = DumpArguments::parse(line(option, "in out").into_iter());
            assert!(parsed.is_ok(), "{}", option.0);
        }
        for operation in tools.operations {
            let one = format!("transform a {operation} o");
            let two = format!("simple a b {operation} o");
            assert!(is_taken(&one) || is_taken(&two), "{operation}");
        }
        for option in &tools.options[1..] {
            let value = if option.1 { "1" } else { "" };
            assert!(is_taken(&format!("simple a b union o {}{value}", option.0)));
        }
        assert!(is_taken("-t1 simple a b union o"));
        for tool in tools.tools {
            let names = ["a", "a b c", "a dump o", "a b union o"];
            let taken = names
                .iter()
                .any(|names| is_taken(&format!("{tool} {names}")));
            assert!(taken, "{tool}");
        }
    }
}
