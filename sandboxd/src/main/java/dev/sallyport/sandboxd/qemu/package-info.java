/**
 * The driver {@code qemu}: guests as virtual machines with a kernel of their own.
 *
 * <p>Starting points: {@link dev.sallyport.sandboxd.qemu.QemuKind}, {@code VirtualMachine} (the life of one), {@code
 * QemuArguments} (what QEMU is told), {@code GuestPort} (what the guest is asked), {@link
 * dev.sallyport.sandboxd.qemu.KernelStore} (what guests boot), {@code init.sh} (what happens in a guest first).
 */
@NullMarked
package dev.sallyport.sandboxd.qemu;

import org.jspecify.annotations.NullMarked;
