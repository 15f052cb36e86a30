package dev.sallyport.sandboxd.net;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sallyport.sandboxd.system.Command;
import dev.sallyport.sandboxd.system.CommandException;
import dev.sallyport.sandboxd.wire.Lines;
import dev.sallyport.sandboxd.wire.WireException;
import java.io.IOException;

/** A counter of a table of guests, of which there is one in each of two families. */
record NamedCounter(String family, String name) {

    /** How many packets it has counted. */
    long packets() throws CommandException, IOException, InterruptedException {
        String text = Command.of("nft", "--json", "list", "counter", family, Ruleset.TABLE, name)
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
