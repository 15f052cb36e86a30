package dev.sallyport.feed;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The accounts of a proxy which they share on disk, encrypted, each in a file of its own: what changes of one is written
 * alone. Another file says when all were confirmed. For one thread at a time; blocks.
 */
final class AccountsCache {

    private static final Logger LOG = LoggerFactory.getLogger(AccountsCache.class);
    private static final String FOLDER = "accounts";
    private static final String CONFIRMED = "confirmed";
    private static final String ENDING = ".account";

    private final SealedFolder folder;

    private AccountsCache(SealedFolder folder) {
        this.folder = folder;
    }

    /** Those in a folder. */
    static AccountsCache in(SealedFolder cache) throws IOException {
        return new AccountsCache(cache.folder(FOLDER));
    }

    /**
     * An account that was kept.
     *
     * @param at when the control plane last said that it holds
     */
    record Kept(HeldAccount account, Instant at) {}

    /**
     * What was kept.
     *
     * @param at when the control plane last said that all hold
     */
    record All(Instant at, List<Kept> accounts) {}

    private static String purpose(String name) {
        return "sallyport feed accounts 1 " + name;
    }

    /** Keeps an account in place of what was kept of it. */
    void keep(HeldAccount account, Instant at) throws IOException {
        ObjectNode json = Pipelines.JSON.createObjectNode().put("at", at.toEpochMilli());
        account.writeTo(json);
        String name = account.id() + ENDING;
        folder.keep(name, purpose(name), Pipelines.JSON.writeValueAsBytes(json));
    }

    /** Removes what was kept of an account. */
    void remove(String id) throws IOException {
        folder.remove(id + ENDING);
    }

    /** Removes what was kept of all accounts but these. */
    void removeOthers(Set<String> ids) throws IOException {
        for (String name : folder.names()) {
            if (name.endsWith(ENDING) && !ids.contains(name.substring(0, name.length() - ENDING.length()))) {
                folder.remove(name);
            }
        }
    }

    /** Keeps when all were confirmed, but for some. */
    void confirm(Instant at, Set<String> unconfirmed) throws IOException {
        ObjectNode json = Pipelines.JSON.createObjectNode().put("at", at.toEpochMilli());
        ArrayNode list = json.putArray("unconfirmed");
        unconfirmed.forEach(list::add);
        folder.keep(CONFIRMED, purpose(CONFIRMED), Pipelines.JSON.writeValueAsBytes(json));
    }

    /** All that can be read; null when nothing was ever confirmed. */
    @Nullable All read() throws IOException {
        byte[] plain = folder.read(CONFIRMED, purpose(CONFIRMED));
        if (plain == null) {
            return null;
        }
        JsonNode json = Pipelines.JSON.readTree(plain);
        Instant at = Instant.ofEpochMilli(json.path("at").asLong());
        Set<String> unconfirmed = new HashSet<>();
        json.path("unconfirmed").forEach(id -> unconfirmed.add(id.asText()));
        List<Kept> accounts = new ArrayList<>();
        for (String name : folder.names()) {
            if (name.endsWith(ENDING)) {
                Kept kept = account(name);
                if (kept != null) {
                    boolean own = unconfirmed.contains(kept.account().id())
                            || kept.at().isAfter(at);
                    accounts.add(own ? kept : new Kept(kept.account(), at));
                }
            }
        }
        return new All(at, accounts);
    }

    /** What cannot be read of one concerns no other. */
    private @Nullable Kept account(String name) {
        try {
            byte[] plain = folder.read(name, purpose(name));
            if (plain == null) {
                return null;
            }
            JsonNode json = Pipelines.JSON.readTree(plain);
            Arrays.fill(plain, (byte) 0);
            return new Kept(
                    HeldAccount.of(json), Instant.ofEpochMilli(json.path("at").asLong()));
        } catch (IOException | UnusableSnapshotException e) {
            LOG.warn("what was kept as {} is not used: {}", name, e.getMessage());
            return null;
        }
    }

    /** Removes all that was kept in a folder. */
    static void wipe(Path cache) throws IOException {
        File[] files = cache.resolve(FOLDER).toFile().listFiles();
        if (files != null) {
            for (File file : files) {
                Files.deleteIfExists(file.toPath());
            }
        }
    }
}
