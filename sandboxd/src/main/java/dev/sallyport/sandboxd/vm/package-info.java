/**
 * What drivers of all kinds share: what there is of VMs and snapshots, as files; the life of a VM; who works on it. What a
 * VM is made of, and what runs it, is a {@link dev.sallyport.sandboxd.vm.Kind}'s.
 *
 * <p>Starting points: {@link dev.sallyport.sandboxd.vm.HostDriver}, {@link dev.sallyport.sandboxd.vm.Body}, {@code Startup}
 * (what a process does that takes over), {@code SnapshotStore}.
 */
@NullMarked
package dev.sallyport.sandboxd.vm;

import org.jspecify.annotations.NullMarked;
