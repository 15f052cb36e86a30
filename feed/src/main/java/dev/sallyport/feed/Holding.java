package dev.sallyport.feed;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;

/** What a proxy has already, as it says when it connects: the control plane sends what differs. */
sealed interface Holding {

    /** Nothing: it is sent all. */
    record Nothing() implements Holding {}

    /** The snapshot of its organization. */
    record OfPipeline(Snapshot snapshot) implements Holding {}

    /**
     * Accounts that share it, of one epoch.
     *
     * @param epoch of the versions of their secrets
     */
    record OfAccounts(String epoch, List<HeldAccount> accounts) implements Holding {

        /** Of more than these the rest comes whole: the body of a request is 2 MiB at most. */
        private static final int MOST = 7000;

        /** Those whose secrets are here; {@link Nothing} where there are none. */
        static Holding of(List<HeldAccount> all) {
            List<HeldAccount> whole = all.stream()
                    .filter(account -> !account.snapshot().credentials().expired())
                    .toList();
            if (whole.isEmpty()) {
                return new Nothing();
            }
            String epoch = whole.getFirst().snapshot().epoch();
            return new OfAccounts(
                    epoch,
                    whole.stream()
                            .filter(account -> account.snapshot().epoch().equals(epoch))
                            .limit(MOST)
                            .toList());
        }

        /** The body of the request. */
        byte[] json() throws JsonProcessingException {
            ObjectNode json = Pipelines.JSON.createObjectNode().put("epoch", epoch);
            ArrayNode list = json.putArray("accounts");
            accounts.forEach(account -> list.addObject()
                    .put("account", account.id())
                    .put("hash", account.snapshot().hash())
                    .put("pipeline", account.snapshot().pipelineHash())
                    .put("callers", account.callersHash()));
            return Pipelines.JSON.writeValueAsBytes(json);
        }
    }
}
