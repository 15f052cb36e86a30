package dev.sallyport.sandboxd.vm;

import dev.sallyport.sandboxd.system.CommandException;
import dev.sallyport.sandboxd.system.HostProcess;
import dev.sallyport.sandboxd.wire.WireException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a VM is made of, as one kind of drivers has it. One thread at a time works on it. */
public interface Body {

    /**
     * Makes its files, in its folder, which is there.
     *
     * @param key that of its sshd
     * @param layers what snapshots added to its image, the uppermost first
     * @param memory what {@link #capture} wrote of the memory of the one that the uppermost layer is of; null for nothing
     */
    void make(VmRecord vm, HostKeyPair key, List<Path> layers, @Nullable Path memory)
            throws IOException, WireException, CommandException, InterruptedException;

    /**
     * Connects it and starts it. What was begun when that fails, {@link #kill} and {@link #free} take back.
     *
     * @param key as it was made with
     * @param layers as it was made with
     * @return its first process
     */
    HostProcess start(VmRecord vm, HostKeyPair key, List<Path> layers)
            throws IOException, WireException, CommandException, InterruptedException;

    /** Asks for its end, and does not wait for it. One that has ended by itself is no error. */
    void askForEnd(HostProcess first) throws IOException, WireException, CommandException, InterruptedException;

    /** Kills what of it runs. Nothing running is no error. */
    void kill() throws IOException, CommandException, InterruptedException;

    /** Lets go of what the machine holds for it besides its network. Nothing of it may run any more. */
    void free() throws IOException, CommandException, InterruptedException;

    /** The most that a copy of its disk may take, in bytes. */
    long largestCapture(VmRecord vm) throws IOException, WireException;

    /**
     * Where a copy goes.
     *
     * @param disk an empty file, for what is on the disk
     * @param most how large that may become, in bytes
     * @param memory a file that is not there, for what is in memory; it is made where the kind has that, and all of it fits
     * @param mostMemory how large that may become, in bytes
     */
    record Target(Path disk, long most, Path memory, long mostMemory) {}

    /**
     * Writes what it has, as it is at one moment.
     *
     * @return for how long it stood still
     * @throws CommandException that says {@code tooLarge} when the file for the disk would become larger
     */
    Duration capture(Target target) throws IOException, WireException, CommandException, InterruptedException;

    /**
     * Gives it another script of the profile while it runs, which it keeps for its later runs.
     *
     * @param profile as {@link GuestFiles#profile} makes it
     */
    void setProfile(HostProcess first, GuestFiles.GuestFile profile)
            throws IOException, WireException, CommandException, InterruptedException;

    /** Runs scripts in it while it runs. */
    GuestShell shell(HostProcess first);
}
