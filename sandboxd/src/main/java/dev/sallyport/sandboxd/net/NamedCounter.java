package dev.sallyport.sandboxd.net;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sallyport.sandboxd.system.Command;
import dev.sallyport.sandboxd.system.CommandException;
import dev.sallyport.sandboxd.wire.Lines;
import dev.sallyport.sandboxd.wire.WireException;
import java.io.IOException;

/** A counter of the table of guests. */
record NamedCounter(String name) {

    /** How many packets it has counted. */
    long packets() throws CommandException, IOException, InterruptedException {
        String text = Command.of("nft", "--json", "list", "counter", "inet", Ruleset.TABLE, name)
                .run();
        try {
            for (JsonNode entry : Lines.parse(text).path("nftables")) {
                if (entry.has("counter")) {
                    return entry.path("counter").path("packets").asLong();
                }
            }
        } catch (WireException e) {
            throw new IOException("nft: " + e.getMessage(), e);
        }
        throw new IOException("nft knows no counter " + name);
    }
}
