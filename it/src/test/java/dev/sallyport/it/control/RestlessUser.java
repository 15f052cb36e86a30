package dev.sallyport.it.control;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sallyport.it.control.ScenarioMachine.Outcome;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;

/**
 * Somebody who asks for VMs, and for all that can be asked of them, at random, whatever is killed meanwhile; and remembers
 * what was promised. A call that was cut off has promised nothing: what it was for may come about, or not.
 */
final class RestlessUser {

    static final String RUNS = "running/ready";
    static final String STOPPED = "stopped/stopped";
    static final String GONE = "destroyed/destroyed";

    private static final String VMS = "/v1/vms";
    private static final String PAGE = VMS + "?limit=100";
    private static final int CREATED = 201;

    /** At a time. */
    private static final int MOST = 8;

    private static final List<Wish> WISHES = List.of(
            new Wish("POST", "/start", RUNS),
            new Wish("POST", "/start", RUNS),
            new Wish("POST", "/start", RUNS),
            new Wish("POST", "/stop", STOPPED),
            new Wish("POST", "/stop", STOPPED),
            new Wish("POST", "/stop", STOPPED),
            new Wish("DELETE", "", GONE),
            new Wish("DELETE", "", GONE),
            new Wish("DELETE", "?force=true", GONE));

    private final ScenarioMachine machine;
    private final Random random;
    private final String key;

    /** How each VM may end, by its id. */
    private final Map<String, Set<String>> ends = new LinkedHashMap<>();

    /** Names for which a VM may be there, although nobody has said so. */
    private final Set<String> unknown = new HashSet<>();

    private int names;

    /** What can be asked of a VM, and what becomes of it then. */
    private record Wish(String method, String path, String end) {}

    RestlessUser(ScenarioMachine machine, Random random) throws IOException {
        this.machine = machine;
        this.random = random;
        this.key = Files.readString(machine.folder().resolve("id.pub")).strip();
    }

    /** How many VMs it has. */
    int lives() {
        return ends.size() + unknown.size();
    }

    /**
     * Asks for one thing.
     *
     * @param most so many VMs there may be, those that are gone included
     */
    void act(int most) throws IOException, InterruptedException {
        List<String> present = present();
        boolean more = lives() < most && present.size() < MOST;
        if (more && (present.isEmpty() || random.nextInt(3) == 0)) {
            create();
        } else if (!present.isEmpty()) {
            ask(present.get(random.nextInt(present.size())), WISHES.get(random.nextInt(WISHES.size())));
        }
    }

    private List<String> present() {
        List<String> present = new ArrayList<>();
        ends.forEach((id, may) -> {
            if (!may.equals(Set.of(GONE))) {
                present.add(id);
            }
        });
        return present;
    }

    private void create() throws IOException, InterruptedException {
        String name = "n" + ++names;
        Outcome outcome = machine.attempt("POST", VMS, "{\"name\": \"" + name + "\", \"public_key\": \"" + key + "\"}");
        switch (outcome.status()) {
            case CREATED -> ends.put(outcome.body().path("id").asText(), Set.of(RUNS));
            case Outcome.CUT_OFF -> unknown.add(name);
            default -> refused(outcome);
        }
    }

    private void ask(String vm, Wish wish) throws IOException, InterruptedException {
        Outcome outcome = machine.attempt(wish.method(), VMS + "/" + vm + wish.path(), "");
        if (outcome.status() == Outcome.CUT_OFF) {
            Set<String> may = new HashSet<>(ends.getOrDefault(vm, Set.of()));
            may.add(wish.end());
            ends.put(vm, may);
        } else if (outcome.status() / 100 == 2) {
            ends.put(vm, Set.of(wish.end()));
        } else {
            refused(outcome);
        }
    }

    /** What does not fit the state of a VM, and anything while there is no sandboxd, or no control plane. */
    private static void refused(Outcome outcome) {
        assertThat(outcome.status()).as(outcome.body().toString()).isIn(409, 503, Outcome.NOT_ASKED);
    }

    /** Asks for the end of all that are there. */
    void destroyAll() throws IOException, InterruptedException {
        for (String vm : present()) {
            ask(vm, new Wish("DELETE", "?force=true", GONE));
        }
    }

    /** All VMs, by id, as the API has them now. */
    Map<String, JsonNode> list() throws Exception {
        Map<String, JsonNode> all = new LinkedHashMap<>();
        String cursor = "";
        do {
            JsonNode page = machine.api("GET", PAGE + cursor, "");
            page.path("data").forEach(vm -> all.put(vm.path("id").asText(), vm));
            cursor = page.path("has_more").asBoolean()
                    ? "&cursor=" + page.path("cursor").asText()
                    : "";
        } while (!cursor.isEmpty());
        return all;
    }

    /** Fails unless every VM is as it was promised, and none is there that was not asked for. */
    void requireKept(Map<String, JsonNode> all) throws Exception {
        for (JsonNode vm : all.values()) {
            String id = vm.path("id").asText();
            if (!ends.containsKey(id) && unknown.remove(vm.path("name").asText())) {
                ends.put(id, Set.of(RUNS));
            }
            assertThat(ends).as("nobody has asked for " + vm).containsKey(id);
            String state = state(vm);
            if (!ends.get(id).contains(state)) {
                assertThat(state)
                        .as(machine.api("GET", VMS + "/" + id + "/events?limit=200", "")
                                .toString())
                        .isIn(ends.get(id));
            }
        }
        unknown.clear(); // what is not there now was never taken
        assertThat(all.keySet()).as("what was promised is there").containsAll(ends.keySet());
        all.forEach((id, vm) -> ends.put(id, Set.of(state(vm))));
    }

    private static String state(JsonNode vm) {
        return vm.path("status").asText() + "/" + vm.path("status_detail").asText();
    }
}
