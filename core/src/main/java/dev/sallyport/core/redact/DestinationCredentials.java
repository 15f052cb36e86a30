package dev.sallyport.core.redact;

import dev.sallyport.spi.Credential;
import dev.sallyport.spi.Destination;
import java.net.InetAddress;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** What a workload's values mean for the responses of one destination. Thread-safe. */
final class DestinationCredentials {

    private static final Object NO_ADDRESS = new Object();

    private final Destination origin;
    private final String site;
    private final Map<Object, AtAddress> addresses = new ConcurrentHashMap<>(2);

    /**
     * At one address of it.
     *
     * @param wanted the values that are searched for
     * @param sent those that were sent there, with the rules that are known of them
     */
    record AtAddress(CredentialSet wanted, Map<Credential, List<Predicate<Destination>>> sent) {

        /** Whether it was sent there, under the same rules. */
        boolean knows(Credential secret) {
            List<Predicate<Destination>> reaches = sent.get(secret);
            return reaches != null && SentPlaces.contains(reaches, secret.reach());
        }
    }

    DestinationCredentials(Destination origin) {
        this.origin = origin;
        this.site = Sites.of(origin.host());
    }

    /** What is known at an address; null when that is not known. */
    @Nullable AtAddress at(@Nullable InetAddress address) {
        return addresses.get(key(address));
    }

    /**
     * Finds out.
     *
     * @param values all values
     * @param shared returns the set that is equal to this one and in use already, if there is one
     */
    AtAddress look(
            @Nullable InetAddress address, Map<Credential, SentPlaces> values, UnaryOperator<CredentialSet> shared) {
        Map<Credential, String> wanted = new LinkedHashMap<>();
        Map<Credential, List<Predicate<Destination>>> sent = new HashMap<>();
        values.forEach((secret, places) -> {
            if (places.include(origin, site, address)) {
                wanted.put(secret, places.stage());
            }
            if (places.contain(site, address)) {
                sent.put(secret, places.reaches());
            }
        });
        AtAddress here = new AtAddress(
                wanted.isEmpty() ? CredentialSet.EMPTY : shared.apply(new CredentialSet(wanted)), Map.copyOf(sent));
        addresses.put(key(address), here);
        return here;
    }

    private static Object key(@Nullable InetAddress address) {
        return address == null ? NO_ADDRESS : address;
    }

    @Override
    public String toString() {
        return "DestinationCredentials[" + origin + "]";
    }
}
