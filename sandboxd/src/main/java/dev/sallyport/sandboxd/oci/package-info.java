/**
 * The driver {@code oci}: guests as containers of crun or runc, in namespaces of their own, with an sshd as their first
 * process.
 *
 * <p>Starting points: {@link dev.sallyport.sandboxd.oci.OciKind}, {@code Container}, {@code Bundle} (the container's configuration), {@code
 * Seccomp} (the system calls), {@code GuestFileSystem} (disk and layers), {@code OciRuntime} (crun or runc).
 */
@NullMarked
package dev.sallyport.sandboxd.oci;

import org.jspecify.annotations.NullMarked;
