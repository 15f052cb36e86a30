package dev.sallyport.sandboxd.vm;

import dev.sallyport.sandbox.VmId;
import dev.sallyport.sandboxd.system.CommandException;
import java.io.IOException;
import java.util.Map;
import java.util.Set;

/** What runs VMs on a machine, as one kind of drivers has it. For any number of threads. */
public interface Platform {

    /** What a VM is made of. */
    Body body(VmId id, VmFiles files);

    /** The least memory with which a VM boots, in bytes. */
    long leastMemory();

    /** What layers of snapshots are on the disk. */
    LayerForm layers();

    /** Lets guests go on of which a process that ended was taking a copy. */
    void resume() throws IOException, InterruptedException;

    /** The VMs of which anything runs, with the number of the first process of each; 0 for one that was not started. */
    Map<VmId, Long> running() throws IOException, CommandException, InterruptedException;

    /** Ends what runs of VMs besides these, and lets go of what no guest needs. What cannot be ended stays, and is logged. */
    void removeOthers(Set<VmId> kept) throws IOException, InterruptedException;
}
