package dev.sallyport.sandbox;

import java.io.IOException;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The sshds of the guests of a {@link FakeDriver} that run, and what is counted of these guests. One thread at a time uses it, unless a method says else. */
final class FakeServers {

    private static final Refused NOTHING = new Refused(0, 0);

    private final Map<VmId, FakeSshd> servers = new HashMap<>();
    private final Set<VmId> silent = ConcurrentHashMap.newKeySet();
    private final Set<VmId> brief = ConcurrentHashMap.newKeySet();
    private final Map<VmId, Integer> starts = new HashMap<>();
    private final Map<VmId, Refused> refused = new HashMap<>();

    /** Lets that of a guest say nothing, from now on. For any thread. */
    void silence(VmId id) {
        silent.add(id);
    }

    /** Lets a guest end as soon as it is started, from now on. For any thread. */
    void endAtOnce(VmId id) {
        brief.add(id);
    }

    /** Counts a start; false when the guest ends at once. */
    boolean begin(VmId id) {
        starts.merge(id, 1, Integer::sum);
        return !brief.contains(id);
    }

    int starts(VmId id) {
        return starts.getOrDefault(id, 0);
    }

    /** Has this as what was refused of a guest since its start. */
    void refuse(VmId id, Refused count) {
        refused.put(id, count);
    }

    Refused refused(VmId id) {
        return refused.getOrDefault(id, NOTHING);
    }

    Observed.Running boot(VmId id) throws IOException {
        FakeSshd server = new FakeSshd(id, silent);
        servers.put(id, server);
        return new Observed.Running(Instant.now(), server.endpoint());
    }

    void end(VmId id) {
        refused.remove(id);
        FakeSshd server = servers.remove(id);
        if (server != null) {
            server.close();
        }
    }

    /** Ends that of a VM that is no more. */
    void forget(VmId id) {
        silent.remove(id);
        end(id);
    }

    void endAll() {
        servers.values().forEach(FakeSshd::close);
        servers.clear();
    }
}
