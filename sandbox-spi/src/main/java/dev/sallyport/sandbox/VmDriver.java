package dev.sallyport.sandbox;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Runs VMs. The control plane writes down what it wants, compares that with {@link #observeAll()}, and calls until both
 * agree; so each method does no harm when it is called again, also after the caller or the driver died in the middle of it.
 *
 * <p>Methods block, and may be called by any number of threads. A driver runs what concerns one VM in sequence, and does not
 * let one VM wait for another. An interrupted call leaves the VM in a state from which the same call can be repeated.
 *
 * <p>A driver keeps what it needs to know on its own; what it is told ends with {@link #destroy}. Guests keep running while
 * the driver is closed, and are found again by the next one.
 */
public interface VmDriver extends AutoCloseable {

    /** Looks whether VMs can run here: tools, rights, kernel. Changes nothing. */
    Availability availability() throws VmException, InterruptedException;

    /** The images that VMs can be made of, by name. */
    List<Image> images() throws VmException, InterruptedException;

    /**
     * Makes a VM, stopped. A VM of this id and of the same description is left as it is.
     *
     * <p>One that is made from a snapshot has identity, keys, address and variables of its own, whatever the snapshot has. A
     * driver whose snapshots have memory renews these before it connects the guest, in {@link #start}.
     *
     * @throws VmException {@code CONFLICT}, {@code IMAGE_NOT_FOUND}, {@code SNAPSHOT_NOT_FOUND}, {@code INVALID}, {@code
     *     EXHAUSTED}, {@code PREPARING} and others; nothing of the VM is left then
     */
    void create(VmId id, VmSpec spec) throws VmException, InterruptedException;

    /**
     * Starts a VM, and returns when its first process runs. One that runs is left as it is.
     *
     * @throws VmException {@code NOT_FOUND} and others; the VM is stopped then
     */
    void start(VmId id) throws VmException, InterruptedException;

    /**
     * Stops a VM, and returns when nothing of it runs. Its files stay. One that is stopped is left as it is.
     *
     * @param grace how long its first process may take to end before it is killed; not negative
     * @throws VmException {@code NOT_FOUND} and others
     */
    void stop(VmId id, Duration grace) throws VmException, InterruptedException;

    /** Kills a VM where it runs, and removes all that it is made of. One that does not exist is no error. */
    void destroy(VmId id) throws VmException, InterruptedException;

    /** What has become of a VM. */
    Observed observe(VmId id) throws VmException, InterruptedException;

    /** What has become of each VM that this driver holds. {@link Observed.Absent} is not among it. */
    Map<VmId, Observed> observeAll() throws VmException, InterruptedException;

    /**
     * The keys of a VM's sshd. They are known from the creation on and stay over stop and start.
     *
     * @throws VmException {@code NOT_FOUND} and others
     */
    List<HostKey> hostKeys(VmId id) throws VmException, InterruptedException;

    /**
     * What the network of a VM has refused. Zeros for one that is stopped.
     *
     * @throws VmException {@code NOT_FOUND} and others
     */
    Refused refused(VmId id) throws VmException, InterruptedException;

    /**
     * Copies what a VM that runs has on its disk, as it is at one moment; the guest stands still meanwhile, and goes on. A
     * snapshot of this id and of the same VM is left as it is. A driver may copy what is in memory at the same moment, where it
     * is configured to.
     *
     * @throws VmException {@code NOT_FOUND}, {@code CONFLICT} when the VM does not run or the snapshot is of another one,
     *     {@code EXHAUSTED} and others; nothing of the snapshot is left then
     */
    void capture(SnapshotId id, VmId vm) throws VmException, InterruptedException;

    /**
     * Makes what was captured something that VMs can be made from. May take minutes. One that is sealed is left as it is.
     *
     * @return what it adds to what its VM was made from
     * @throws VmException {@code SNAPSHOT_NOT_FOUND}, {@code EXHAUSTED} and others; it can still be sealed then
     */
    Layer seal(SnapshotId id) throws VmException, InterruptedException;

    /**
     * Forgets a snapshot, however far it is. VMs and snapshots that came from it keep what they are made of. One that does
     * not exist is no error.
     */
    void discard(SnapshotId id) throws VmException, InterruptedException;

    /** The snapshots of which this driver holds anything. */
    Set<SnapshotId> snapshots() throws VmException, InterruptedException;

    /**
     * Starts a program inside a VM that runs, and returns when it has been started. What it writes is kept for {@link
     * #report}, the newest two MiB of it. A task of this name that was started since the VM was is left as it is, whatever
     * has become of it. A task ends with the run of its VM; it does not end with the driver.
     *
     * @throws VmException {@code NOT_FOUND}, {@code CONFLICT} when the VM does not run, and others; the task may have been
     *     started then
     */
    void run(VmId id, TaskName name, GuestTask task) throws VmException, InterruptedException;

    /**
     * Asks the guest how far a task is, and for what it has written.
     *
     * @param offset from where on, in bytes since the task's start; not negative
     * @return with 128 KiB of output at most; there may be more
     * @throws VmException {@code NOT_FOUND}, {@code CONFLICT} when the VM does not run, and others
     */
    TaskReport report(VmId id, TaskName name, long offset) throws VmException, InterruptedException;

    /**
     * Gives the guest of a VM that runs other variables in the place of those that it was made with or was given last. Login
     * shells and tasks that begin from then on have these and no others, over stops and starts too; whoever begins meanwhile
     * has all of the former or all of the new ones, and what runs already keeps its own. A guest that has them is left with
     * them.
     *
     * @throws VmException {@code NOT_FOUND}, {@code CONFLICT} when the VM does not run, {@code INVALID} by a driver that
     *     cannot do it, and others; the guest may have them then
     */
    default void refresh(VmId id, GuestVariables variables) throws VmException, InterruptedException {
        throw new VmException(
                VmException.Reason.INVALID,
                "this driver gives a VM no other variables than those that it was made with");
    }

    /** Lets go of the driver's own resources. Guests keep running. */
    @Override
    void close();
}
