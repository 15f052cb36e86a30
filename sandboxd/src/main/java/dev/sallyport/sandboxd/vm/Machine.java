package dev.sallyport.sandboxd.vm;

import dev.sallyport.sandboxd.image.ImageStore;
import dev.sallyport.sandboxd.net.GuestNetworks;

/**
 * What all VMs of this machine share.
 *
 * @param settings where their files are
 * @param cgroups what limits them
 * @param images what they begin as
 * @param networks what connects them
 * @param trust what lets their programs trust the gate
 */
public record Machine(
        HostSettings settings, Cgroups cgroups, ImageStore images, GuestNetworks networks, GuestTrust trust) {}
