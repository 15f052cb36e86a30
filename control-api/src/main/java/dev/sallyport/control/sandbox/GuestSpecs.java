package dev.sallyport.control.sandbox;

import dev.sallyport.control.environment.Variables;
import dev.sallyport.control.secret.Secret;
import dev.sallyport.control.secret.SecretSet;
import dev.sallyport.control.store.Store;
import dev.sallyport.sandbox.GuestSetup;
import dev.sallyport.sandbox.ImageName;
import dev.sallyport.sandbox.NetworkLease;
import dev.sallyport.sandbox.Origin;
import dev.sallyport.sandbox.SnapshotId;
import dev.sallyport.sandbox.VmSpec;
import jakarta.inject.Singleton;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/** What VMs are made of. Thread-safe; blocks. */
@Singleton
final class GuestSpecs {

    private static final int LONGEST_HOSTNAME = 63;

    private final Store store;
    private final Variables variables;
    private final SandboxSettings settings;

    GuestSpecs(Store store, Variables variables, SandboxSettings settings) {
        this.store = store;
        this.variables = variables;
        this.settings = settings;
    }

    /**
     * The description of a VM, with the environment that its organization has at this moment: variables, and placeholders
     * of secrets, which win.
     *
     * @throws IllegalArgumentException when an image's name or a variable is one that no guest can have
     */
    VmSpec of(VmRow vm, VmRow.Lease lease) {
        Map<String, String> environment =
                new HashMap<>(variables.values(vm.identity().organization()));
        SecretSet secrets = store.readAtOneMoment(
                handle -> SecretSet.of(handle, vm.identity().organization()));
        secrets.secrets().forEach(stored -> {
            Secret secret = stored.secret();
            environment.put(secret.envVar(), secret.proxyValue());
        });
        return new VmSpec(
                origin(vm.identity()),
                settings.size(),
                new NetworkLease(SandboxSettings.Subnet.address(lease.address())),
                new GuestSetup(hostname(vm), vm.identity().publicKey(), environment));
    }

    private static Origin origin(VmRow.Identity identity) {
        String snapshot = identity.snapshot();
        return snapshot == null
                ? new Origin.OfImage(new ImageName(identity.image()))
                : new Origin.OfSnapshot(new SnapshotId(snapshot));
    }

    /** The name as far as a host may have it, or else the identifier. */
    static String hostname(VmRow vm) {
        String name = plain(vm.identity().name());
        return name.isEmpty() ? plain(vm.id()) : name;
    }

    private static String plain(String name) {
        String host = name.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", "-");
        host = host.substring(0, Math.min(host.length(), LONGEST_HOSTNAME));
        return host.replaceAll("^-|-$", "");
    }
}
