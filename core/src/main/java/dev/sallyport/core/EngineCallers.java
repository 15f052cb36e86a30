package dev.sallyport.core;

import dev.sallyport.core.net.request.AuthenticatedUser;
import dev.sallyport.core.net.request.CallerSelection;
import dev.sallyport.core.net.request.ProxyUsers;
import dev.sallyport.core.pipeline.Generation;
import dev.sallyport.core.workload.Callers;
import dev.sallyport.core.workload.SourceAddress;
import dev.sallyport.core.workload.WorkloadTable;
import dev.sallyport.spi.Connection;
import dev.sallyport.spi.Principal;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * Who calls, as the workloads and users in force at the moment have it. Both are replaced by one write, after the policy
 * that they lead to. Thread-safe; never blocks.
 */
final class EngineCallers {

    private final ProxyAuthState access;
    private volatile boolean strict;
    private volatile Known now = Known.of(ProxyUsers.OFF, WorkloadTable.empty(), false, new Callers());

    /**
     * What tells callers.
     *
     * @param ofFile the users of the file
     * @param users these, and those that came with workloads
     * @param unclaimed those of them who have come, and are of no workload
     */
    private record Known(ProxyUsers ofFile, ProxyUsers users, WorkloadTable<Generation> workloads, Callers unclaimed) {

        static Known of(ProxyUsers ofFile, WorkloadTable<Generation> workloads, boolean strict, Callers unclaimed) {
            ProxyUsers users = strict || workloads.hasPasswords() ? ofFile.and(new Delivered(workloads)) : ofFile;
            return new Known(ofFile, users, workloads, unclaimed);
        }
    }

    /** Users that came with workloads. */
    private record Delivered(WorkloadTable<Generation> workloads) implements ProxyUsers.Delivered {

        @Override
        public byte @Nullable [] digest(String user) {
            return workloads.digest(user);
        }

        @Override
        public @Nullable String userOf(byte[] digest) {
            return workloads.userOf(digest);
        }
    }

    EngineCallers(ProxyAuthState access) {
        this.access = access;
    }

    /** The users of a file. */
    ProxyAuthState access() {
        return access;
    }

    /** From the next {@link #swap}, credentials are checked also while no user is known. */
    void checkCredentials() {
        strict = true;
    }

    /**
     * Puts workloads in force, whose policies are.
     *
     * @param users null for those of before
     * @param organization whose policies judge callers of no workload; empty for nobody's
     */
    void swap(ProxyAuthState.@Nullable Prepared users, WorkloadTable<Generation> workloads, String organization) {
        now = Known.of(users == null ? now.ofFile() : users.users(), workloads, strict, new Callers(organization));
        if (users != null) {
            access.swap(users);
        }
    }

    /** Whoever calls from this address, at the moment of each request. */
    CallerSelection at(InetSocketAddress client) {
        SourceAddress address = SourceAddress.of(client.getAddress());
        return user -> select(address, user);
    }

    private Principal select(SourceAddress address, @Nullable AuthenticatedUser user) {
        Known known = now;
        if (user != null && !known.users().knows(user)) {
            return Callers.UNKNOWN; // the name has gone, or belongs to somebody else
        }
        return select(known, address, user == null ? null : user.name());
    }

    private static Principal select(Known known, SourceAddress address, @Nullable String user) {
        Principal claimed = known.workloads().select(address, user);
        if (claimed != null) {
            return claimed;
        }
        return user == null ? known.unclaimed().anonymous() : known.unclaimed().user(user);
    }

    /**
     * The connection of a caller who was told before, as it is told now. A password is not asked for again, but its user
     * must still be there: who came with a workload that has gone is not taken for a caller of no workload.
     */
    Connection again(Connection before) {
        Known known = now;
        String user = Callers.userOf(before.principal());
        Principal caller = user.isEmpty() || known.users().has(user)
                ? select(known, SourceAddress.of(before.peer().getAddress()), user.isEmpty() ? null : user)
                : Callers.UNKNOWN;
        return caller.equals(before.principal()) ? before : new ReassignedConnection(before, caller);
    }

    /** The users of the file, and those that came with workloads. */
    ProxyUsers users() {
        return now.users();
    }
}
