package dev.sallyport.control.sandbox;

import dev.sallyport.control.environment.Variables;
import dev.sallyport.control.secret.Secret;
import dev.sallyport.control.secret.SecretSet;
import dev.sallyport.control.store.Store;
import dev.sallyport.sandbox.GuestSetup;
import dev.sallyport.sandbox.GuestVariables;
import dev.sallyport.sandbox.ImageName;
import dev.sallyport.sandbox.NetworkLease;
import dev.sallyport.sandbox.Origin;
import dev.sallyport.sandbox.SnapshotId;
import dev.sallyport.sandbox.VmException;
import dev.sallyport.sandbox.VmException.Reason;
import dev.sallyport.sandbox.VmSpec;
import jakarta.inject.Singleton;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

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
     * What a guest has in its environment.
     *
     * @param number names it in the database; null for one that lacks what cannot be decrypted now
     */
    record Environment(@Nullable Long number, GuestVariables variables) {}

    /**
     * What the organization of a VM has at this moment: variables, and placeholders of secrets, which win. A change that comes
     * meanwhile has another number.
     *
     * @throws VmException {@code INVALID} when a variable is one that no guest can have
     */
    Environment environment(VmRow vm) throws VmException {
        String organization = vm.identity().organization();
        long number = store.read(handle -> handle.createQuery("select environment from organization where id = :id")
                .bind("id", organization)
                .mapTo(Long.class)
                .one());
        Variables.Values values = variables.values(organization);
        Map<String, String> all = new HashMap<>(values.byKey());
        SecretSet secrets = store.readAtOneMoment(handle -> SecretSet.of(handle, organization));
        secrets.secrets().forEach(stored -> {
            Secret secret = stored.secret();
            all.put(secret.envVar(), secret.proxyValue());
        });
        try {
            return new Environment(values.areAll() ? number : null, new GuestVariables(all));
        } catch (IllegalArgumentException e) {
            throw new VmException(Reason.INVALID, String.valueOf(e.getMessage()), e);
        }
    }

    /**
     * The description of a VM.
     *
     * @throws VmException {@code INVALID} when an image's name is one that no guest can have
     */
    VmSpec of(VmRow vm, VmRow.Lease lease, Environment environment) throws VmException {
        try {
            return new VmSpec(
                    origin(vm.identity()),
                    vm.size(settings.size()),
                    new NetworkLease(SandboxSettings.Subnet.address(lease.address())),
                    new GuestSetup(
                            hostname(vm),
                            vm.identity().publicKey(),
                            environment.variables().values()));
        } catch (IllegalArgumentException e) {
            throw new VmException(Reason.INVALID, String.valueOf(e.getMessage()), e);
        }
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
