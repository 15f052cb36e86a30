package dev.sallyport.core.dns;

import java.net.InetAddress;
import java.util.HashMap;
import java.util.Map;

/** A number of places, of which one source may take only a part. Confined to the loop. */
final class SourceQuota {

    private final int share;
    private final Map<InetAddress, Integer> taken = new HashMap<>();
    private int total;

    /** @param share the fraction of the places that one source may take: one of this many */
    SourceQuota(int share) {
        this.share = share;
    }

    boolean tryTake(InetAddress source, int places) {
        int own = taken.getOrDefault(source, 0);
        if (total >= places || own >= places / share) {
            return false;
        }
        taken.put(source, own + 1);
        total++;
        return true;
    }

    void giveBack(InetAddress source) {
        total--;
        taken.computeIfPresent(source, (key, own) -> own == 1 ? null : own - 1);
    }
}
