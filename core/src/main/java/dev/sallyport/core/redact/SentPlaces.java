package dev.sallyport.core.redact;

import dev.sallyport.spi.Destination;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Where one value was sent, and where it may be sent: what comes from there is searched for it. Beyond {@value #MOST}
 * places they are not told apart any more. Not thread-safe.
 */
final class SentPlaces {

    /** How many sites and addresses are told apart. */
    static final int MOST = 512;

    /** Rules of so many configurations count, the latest ones. */
    private static final int MOST_REACHES = 4;

    private final String stage;
    private final Set<String> sites = new HashSet<>(2);
    private final Set<InetAddress> addresses = new HashSet<>(2);
    private final List<Predicate<Destination>> reaches = new ArrayList<>(1);
    private boolean everywhere;

    /** @param stage the transform that sent it first */
    SentPlaces(String stage) {
        this.stage = stage;
    }

    String stage() {
        return stage;
    }

    /**
     * It was sent there.
     *
     * @param address null when it is not known
     */
    void add(String site, @Nullable InetAddress address) {
        if (everywhere) {
            return;
        }
        sites.add(site);
        if (address != null) {
            addresses.add(address);
        }
        if (size() > MOST) {
            everywhere = true;
            sites.clear();
            addresses.clear();
        }
    }

    /** It may be sent to these destinations, too. */
    void add(Predicate<Destination> reach) {
        if (!contains(reaches, reach)) {
            if (reaches.size() == MOST_REACHES) {
                reaches.removeFirst();
            }
            reaches.add(reach);
        }
    }

    /** Whether it was sent there. */
    boolean contain(String site, @Nullable InetAddress address) {
        return everywhere || (sites.contains(site) && (address == null || addresses.contains(address)));
    }

    /** The destinations to which it may be sent, by the rules of each configuration. */
    List<Predicate<Destination>> reaches() {
        return List.copyOf(reaches);
    }

    /** Whether these are among them: the same rules are the same object. */
    @SuppressWarnings("ReferenceEquality")
    static boolean contains(List<Predicate<Destination>> reaches, Predicate<Destination> reach) {
        for (int i = 0; i < reaches.size(); i++) {
            if (reaches.get(i) == reach) {
                return true;
            }
        }
        return false;
    }

    /** Whether a response from there may have it. */
    boolean include(Destination origin, String site, @Nullable InetAddress address) {
        return everywhere
                || sites.contains(site)
                || (address != null && addresses.contains(address))
                || reaches.stream().anyMatch(reach -> reach.test(origin));
    }

    private int size() {
        return sites.size() + addresses.size();
    }

    @Override
    public String toString() {
        return "SentPlaces[" + size() + "]";
    }
}
