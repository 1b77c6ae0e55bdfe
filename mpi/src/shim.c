/* What of MPI is used, as plain functions: its handles and constants differ between libraries, and stay here.
 *
 * All are called by the thread that has called shim_begin. Sends are synchronous and know their slot by a number: one is over
 * when its receiver has begun to receive. A function gives 0 if all is well, or what MPI says.
 */
#include <mpi.h>
#include <stddef.h>

#define SLOTS 4096

static MPI_Request sends[SLOTS];
static MPI_Request barrier = MPI_REQUEST_NULL;
static MPI_Message message = MPI_MESSAGE_NULL;
/* Where there are no bytes, an address that is no constant of MPI's. */
static char nothing[1];

int shim_slots(void) { return SLOTS; }

int shim_begin(void) {
    int provided = MPI_THREAD_SINGLE;
    int fault = MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided);
    if (fault != MPI_SUCCESS) return fault;
    for (int i = 0; i < SLOTS; i++) sends[i] = MPI_REQUEST_NULL;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    return provided < MPI_THREAD_FUNNELED ? MPI_ERR_OTHER : MPI_SUCCESS;
}

int shim_rank(void) {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
}

int shim_ranks(void) {
    int ranks = 1;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    return ranks;
}

int shim_send(int slot, int to, int tag, const char *bytes, int length) {
    return MPI_Issend(length > 0 ? bytes : nothing, length, MPI_BYTE, to, tag, MPI_COMM_WORLD, &sends[slot]);
}

int shim_is_sent(int slot, int *is_over) { return MPI_Test(&sends[slot], is_over, MPI_STATUS_IGNORE); }

/* Whether a message has come: its sender, tag and length. It must be received next. */
int shim_probe(int *has_come, int *from, int *tag, int *length) {
    MPI_Status status;
    int fault = MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, has_come, &message, &status);
    if (fault != MPI_SUCCESS || !*has_come) return fault;
    *from = status.MPI_SOURCE;
    *tag = status.MPI_TAG;
    return MPI_Get_count(&status, MPI_BYTE, length);
}

int shim_receive(char *bytes, int length) {
    return MPI_Mrecv(length > 0 ? bytes : nothing, length, MPI_BYTE, &message, MPI_STATUS_IGNORE);
}

int shim_begin_barrier(void) { return MPI_Ibarrier(MPI_COMM_WORLD, &barrier); }

int shim_is_barrier_over(int *is_over) { return MPI_Test(&barrier, is_over, MPI_STATUS_IGNORE); }

/* What MPI says about a fault, in up to so many bytes. */
int shim_explain(int fault, char *text, int most) {
    char words[MPI_MAX_ERROR_STRING];
    int length = 0;
    if (MPI_Error_string(fault, words, &length) != MPI_SUCCESS) return 0;
    if (length > most) length = most;
    for (int i = 0; i < length; i++) text[i] = words[i];
    return length;
}

int shim_end(void) { return MPI_Finalize(); }

void shim_abort(int code) { MPI_Abort(MPI_COMM_WORLD, code); }
