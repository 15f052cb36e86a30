package dev.sallyport.it.control;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A shared proxy of very many accounts, of a few rules and secrets each: all come, and after a connection that was cut off
 * hardly anything does. It prints how long that takes, and how much memory; {@code -Dsallyport.accounts} says how many.
 */
@Tag("long")
@Timeout(900)
class ManySharedAccountsTest {

    private static final int ACCOUNTS = Integer.getInteger("sallyport.accounts", 1000);
    private static final int RULES = 3;
    private static final int SECRETS = 2;
    private static final int CLIENTS = 8;
    private static final int CHANGES = 50;
    private static final long PATIENCE_SECONDS = 300;
    private static final Pattern USED = Pattern.compile("used (\\d+)K");

    @TempDir
    Path folder;

    private ControlSite site;
    private CountingRelay relay;
    private List<Account> accounts;

    /** @param workload the path of one */
    private record Account(ControlApi api, String workload) {}

    @BeforeEach
    void begin() throws Exception {
        site = ControlSite.inAProcessWithoutLimits(folder.resolve("control"));
        relay = new CountingRelay(site.port());
        accounts = new ArrayList<>();
        List<Future<Account>> making = new ArrayList<>();
        try (ExecutorService clients = Executors.newFixedThreadPool(CLIENTS)) {
            for (int i = 0; i < ACCOUNTS; i++) {
                int number = i;
                making.add(clients.submit(() -> account(number)));
            }
        }
        for (Future<Account> made : making) {
            accounts.add(made.get());
        }
    }

    @AfterEach
    void end() throws Exception {
        relay.close();
        site.close();
    }

    private Account account(int number) throws Exception {
        ControlApi api = site.signUp();
        for (int i = 0; i < RULES; i++) {
            api.send("POST", "/v1/egress/rules", rule("h" + i + ".a" + number), 201);
        }
        for (int i = 0; i < SECRETS; i++) {
            String name = "KEY_" + i;
            api.send(
                    "POST",
                    "/v1/secrets",
                    "{\"name\": \"" + name + "\", \"secret\": \"value-" + number + "-0123456789\", \"env_var\": \""
                            + name + "\"}",
                    201);
        }
        JsonNode workload = api.send("POST", "/v1/workloads", "{\"name\": \"ci\"}", 201);
        return new Account(api, "/v1/workloads/" + workload.path("id").asText());
    }

    private static String rule(String host) {
        return "{\"host\": \"" + host + ".example\"}";
    }

    /** Until each account is in force at the proxy; in seconds. */
    private double untilAllAreApplied(long began) throws Exception {
        long end = began + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        for (Account account : accounts) {
            while (!isApplied(account)) {
                assertThat(System.nanoTime()).as("all are applied in time").isLessThan(end);
                TimeUnit.MILLISECONDS.sleep(5);
            }
        }
        return (System.nanoTime() - began) / 1e9;
    }

    private static boolean isApplied(Account account) throws Exception {
        JsonNode there = account.api().send("GET", account.workload(), "", 200).path("shared_proxies");
        return there.size() == 1 && there.at("/0/applied_revision").isNumber();
    }

    private void isNotConnected() throws Exception {
        while (!accounts.getFirst()
                .api()
                .send("GET", accounts.getFirst().workload(), "", 200)
                .path("shared_proxies")
                .isEmpty()) {
            TimeUnit.MILLISECONDS.sleep(2);
        }
    }

    /** The live part of the heap, and what the process has resident, in MiB. */
    private static String memory(long pid) throws IOException, InterruptedException {
        jcmd(pid, "GC.run");
        Matcher used = USED.matcher(jcmd(pid, "GC.heap_info"));
        long heap = 0;
        for (int generation = 0; generation < 2 && used.find(); generation++) {
            heap += Long.parseLong(used.group(1));
        }
        long resident = Files.readAllLines(Path.of("/proc/" + pid + "/status")).stream()
                .filter(line -> line.startsWith("VmRSS:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")))
                .sum();
        return heap / 1024 + " MiB live, " + resident / 1024 + " MiB resident";
    }

    private static String jcmd(long pid, String command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "jcmd").toString(),
                        String.valueOf(pid),
                        command)
                .redirectErrorStream(true)
                .start();
        String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        process.waitFor();
        return text;
    }

    private void tell(String what, Object value) {
        System.out.println("shared accounts " + ACCOUNTS + ": " + what + ": " + value);
    }

    @Test
    void allComeAtFirstAndHardlyAnythingAfterACut() throws Exception {
        tell("control plane before", memory(site.pid()));
        String token = site.addShared("eu-1");
        long began = System.nanoTime();
        try (ProxyProcess proxy = new ProxyProcess(
                folder.resolve("proxy"),
                token,
                ControlSite.section(relay.port(), "cache_dir: " + folder.resolve("cache")),
                512)) {
            tell("seconds from the start of the proxy until all are applied", untilAllAreApplied(began));
            long first = relay.received();
            tell("bytes", first);
            tell("control plane", memory(site.pid()));
            tell("proxy", memory(proxy.pid()));
            changes();

            long before = relay.received();
            relay.cut();
            isNotConnected();
            tell("seconds from a cut until all are applied", untilAllAreApplied(System.nanoTime()));
            long again = relay.received() - before;
            tell("bytes after a cut", again);
            assertThat(again).isLessThan(first / 5);

            proxy.kill();
            isNotConnected();
            before = relay.received();
            began = System.nanoTime();
            proxy.start();
            tell("seconds from a start with what was kept until all are applied", untilAllAreApplied(began));
            tell("bytes after a start", relay.received() - before);
            tell("proxy after a start", memory(proxy.pid()));
        }
    }

    private void changes() throws Exception {
        List<Double> millis = new ArrayList<>();
        for (int i = 0; i < CHANGES; i++) {
            ControlApi api = accounts.get(i * (ACCOUNTS / CHANGES)).api();
            long began = System.nanoTime();
            api.send("POST", "/v1/egress/rules?wait=applied&timeout=30s", rule("change" + i), 201);
            millis.add((System.nanoTime() - began) / 1e6);
            assertThat(api.applied()).isEqualTo("true");
        }
        Collections.sort(millis);
        tell("milliseconds of a change until it is applied, median", millis.get(CHANGES / 2));
        tell("and the slowest of " + CHANGES, millis.getLast());
    }
}
