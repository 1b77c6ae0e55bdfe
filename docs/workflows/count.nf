// Counts k-mers as independent jobs, each of which may run on another node: index, count shards, merge ranges of k-mers.
//
//   nextflow run count.nf --reads 'reads/*.fastq.gz' --k 31 --shards 8 --parts 4 --out counts
//
// `thalweg` must be in PATH of every node. The result is the database OUT/counts/ and its histogram OUT/counts.histo.
nextflow.enable.dsl = 2

params.reads = null
params.k = 31
params.shards = 8
params.parts = 4
params.out = 'counts'

// A gzip file with an index is read from any place on; without one, by one job as a whole.
process index {
    cpus 4

    input:
    path reads

    output:
    path "${reads}.thw"

    script:
    """
    thalweg index -q -t ${task.cpus} '${reads}' -o '${reads}.thw'
    """
}

// Files and their indexes lie side by side in the folder of the job. All jobs name the files in the same order.
process count {
    cpus 4
    memory '4 GB'

    input:
    tuple val(shard), path(reads), path(indexes)

    output:
    path "shard.${shard}.thk"

    script:
    def names = [reads].flatten().collect { "'${it}'" }.join(' ')
    """
    thalweg count -q -k ${params.k} --shard ${shard}/${params.shards} -t ${task.cpus} --memory ${task.memory.toMega()}Mi \\
        ${names} -o shard.${shard}.thk
    """
}

// Each job reads a range of every shard, and makes the part of the result that has these k-mers.
process merge {
    cpus 4

    input:
    tuple val(part), path(shards)

    output:
    path "part.${part}.thk"

    script:
    """
    thalweg kmers merge -q shard.*.thk --partition ${part}/${params.parts} -t ${task.cpus} -o part.${part}.thk
    """
}

// Refuses parts that are missing, doubled, or of other shards.
process join {
    publishDir params.out, mode: 'copy'

    input:
    path parts, stageAs: 'counts/*'

    output:
    path 'counts', emit: database
    path 'counts.histo', emit: histogram

    script:
    """
    thalweg kmers join -q counts/part.*.thk
    thalweg kmers histo counts -o counts.histo
    """
}

workflow {
    if (!params.reads) {
        error 'name files of reads: --reads GLOB'
    }
    reads = Channel.fromPath(params.reads, checkIfExists: true).toSortedList { a, b -> a.name <=> b.name }
    gzip = Channel.fromPath(params.reads).filter { it.name.endsWith('.gz') }
    indexes = index(gzip).toList()
    numbers = Channel.of(1..params.shards)
    // Lists stay lists: each job has all files.
    counted = count(numbers.combine(reads.map { [it] }).combine(indexes.map { [it] }))
    parts = Channel.of(1..params.parts).combine(counted.toList().map { [it] })
    join(merge(parts).collect())
}
