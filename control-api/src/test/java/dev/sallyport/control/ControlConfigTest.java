package dev.sallyport.control;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.core.config.ByteSize;
import dev.sallyport.core.config.ConfigProblem;
import dev.sallyport.core.config.ConfigResult;
import dev.sallyport.core.config.SectionEntry;
import dev.sallyport.core.config.SteeringWarnings;
import dev.sallyport.sandbox.SandboxdOptions;
import dev.sallyport.toolkit.match.IpRange;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Section {@code control} is checked before anything starts. */
class ControlConfigTest {

    private static final Path FOLDER = Path.of("/etc/sallyport");

    private static List<String> problems(String lines) {
        return Sections.problems(Sections.load("control:\n" + lines, FOLDER, Map.of()));
    }

    @Test
    void listenIsAllThatIsRequired() {
        ControlConfig config = Sections.control("control: {listen: \"127.0.0.1:8090\"}\n", FOLDER);

        assertThat(config.stateDir()).isEqualTo(FOLDER.resolve(".sallyport/control"));
        assertThat(config.signUp()).isEqualTo(ControlConfig.SignUp.OPEN);
        assertThat(config.retentionDays()).isEqualTo(90);
        assertThat(config.rollupDays()).isEqualTo(400);
        assertThat(config.baseUrl()).isNull();
        assertThat(config.tls()).isNull();
        assertThat(config.mail()).isNull();
        assertThat(config.database().url()).isNull();
        assertThat(config.rateLimits()).isEqualTo(new ControlConfig.RateLimits(6000, 1000, 300, 5, 20, 10));
        assertThat(config.feed()).isEqualTo(new ControlConfig.Feed(250, 500, 5000, 50_000));
        assertThat(config.trustedProxies()).isEmpty();
        assertThat(config.defaultAccount()).isEqualTo("first");
        assertThat(config.policySources()).isEmpty();
        assertThat(config.sandboxes().driver()).isEqualTo("auto");
        assertThat(config.sandboxes().settings()).isEmpty();
        assertThat(config.sandboxes().start()).isEqualTo(SandboxConfig.Start.AUTO);
        assertThat(config.sandboxes().dir()).hasToString("/var/lib/sallyport/sandboxes");
        assertThat(config.sandboxes().sandboxd())
                .isEqualTo(new SandboxdConfig(
                        "root",
                        Path.of("/run/sallyport/sandboxd"),
                        "/sallyport",
                        0x7000_0000,
                        null,
                        null,
                        1024,
                        false));
        assertThat(config.sandboxes().subnet()).hasToString("10.77.0.0/16");
        assertThat(config.sandboxes().bootTimeout()).hasSeconds(60);
        assertThat(config.sandboxes().limits())
                .isEqualTo(new SandboxConfig.Bounds(
                        200, null, null, null, null, 200, new ByteSize(200L << 30), null, null));
        assertThat(config.sandboxes().ssh()).isEqualTo(new SandboxConfig.Ssh("127.0.0.1", "22000-22999", null, 32));
        assertThat(config.isSecure()).isFalse();
        assertThat(problems("  {}\n")).singleElement().asString().contains("/control/listen");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "tags: [\"\"]|/control/tags/0",
                "base_url: nonsense|/control/base_url",
                "base_url: \"https://a.test/\"|/control/base_url",
                "base_url: \"ftp://a.test\"|/control/base_url",
                "database: {url: \"jdbc:mysql://x\"}|/control/database/url",
                "database: {user_env: \"a b\"}|/control/database/user_env",
                "encryption: {key_file: a, key_env: B}|/control/encryption",
                "sign_up: perhaps|/control/sign_up",
                "retention_days: 0|/control/retention_days",
                "mail: {smtp_host: a}|/control/mail/from",
                "mail: {smtp_host: a, from: nobody}|/control/mail/from",
                "mail: {smtp_host: a, from: a@b, username_env: X}|/control/mail",
                "rate_limits: {key_burst: 0}|/control/rate_limits/key_burst",
                "rate_limits: {sign_ups_per_hour: 0}|/control/rate_limits/sign_ups_per_hour",
                "feed: {connect_burst: 0}|/control/feed/connect_burst",
                "trusted_proxies: [\"10.0.0.1/8\"]|/control/trusted_proxies/0",
                "trusted_proxies: [proxy.test]|/control/trusted_proxies/0",
                "tls: {cert: a.pem}|/control/tls/key",
                "default_account: second|/control/default_account",
                "default_account: org_1|/control/default_account",
                "policy_sources: [SHARED_KEY]|/control/policy_sources/0",
                "policy_sources: [\"env:A\", \"file:/etc/passwd\"]|/control/policy_sources/1",
                "sandboxes: {image: \"a b\"}|/control/sandboxes/image",
                "sandboxes: {subnet: \"10.0.0.0/30\"}|/control/sandboxes/subnet",
                "sandboxes: {subnet: \"fd00::/64\"}|/control/sandboxes/subnet",
                "sandboxes: {subnet: \"127.1.0.0/16\"}|/control/sandboxes/subnet",
                "sandboxes: {subnet: \"224.0.0.0/8\"}|/control/sandboxes/subnet",
                "sandboxes: {start: perhaps}|/control/sandboxes/start",
                "sandboxes: {dir: \"a b\"}|/control/sandboxes/dir",
                "sandboxes: {dir: /}|/control/sandboxes/dir",
                "sandboxes: {sandboxd: {user: \"\"}}|/control/sandboxes/sandboxd/user",
                "sandboxes: {sandboxd: {run_dir: \"/a:b\"}}|/control/sandboxes/sandboxd/run_dir",
                "sandboxes: {sandboxd: {cgroup: guests}}|/control/sandboxes/sandboxd/cgroup",
                "sandboxes: {sandboxd: {id_base: 1000}}|/control/sandboxes/sandboxd/id_base",
                "sandboxes: {sandboxd: {gate_port: 0}}|/control/sandboxes/sandboxd/gate_port",
                "sandboxes: {sandboxd: {gate_port: 53, dns_port: 53}}|/control/sandboxes/sandboxd/dns_port",
                "sandboxes: {sandboxd: {connections_per_vm: 0}}|/control/sandboxes/sandboxd/connections_per_vm",
                "sandboxes: {sandboxd: {snapshot_memory: maybe}}|/control/sandboxes/sandboxd/snapshot_memory",
                "sandboxes: {sandboxd: {run_dri: /run}}|/control/sandboxes/sandboxd/run_dri",
                "sandboxes: {ssh: {ports: 22}}|/control/sandboxes/ssh/ports",
                "sandboxes: {ssh: {ports: 23-22}}|/control/sandboxes/ssh/ports",
                "sandboxes: {ssh: {ports: 1-65536}}|/control/sandboxes/ssh/ports",
                "sandboxes: {settings: {a: b}}|/control/sandboxes/settings",
                "sandboxes: {driver: none, settings: {a: b}}|/control/sandboxes/settings",
                "sandboxes: {driver: qemu}|/control/sandboxes/driver",
                "sandboxes: {driver: fale}|/control/sandboxes/driver",
                "sandboxes: {stop_grace: 6m}|/control/sandboxes/stop_grace",
                "sandboxes: {ssh: {listen: nowhere}}|/control/sandboxes/ssh/listen",
                "sandboxes: {ssh: {listen: 10.0.0.0/8}}|/control/sandboxes/ssh/listen",
                "sandboxes: {ssh: {host: -oProxyCommand=x}}|/control/sandboxes/ssh/host",
                "sandboxes: {size: {memory: 1MiB}}|/control/sandboxes/size/memory",
                "sandboxes: {limits: {idle_stop: 10ms}}|/control/sandboxes/limits/idle_stop",
                "sandboxes: {limits: {memory_per_account: 1MiB}}|/control/sandboxes/limits/memory_per_account",
                "sandboxes: {limits: {memory_per_account: 1023MiB}}|/control/sandboxes/limits/memory_per_account",
                "sandboxes: {limits: {cpu_millis_per_account: 999}}|/control/sandboxes/limits/cpu_millis_per_account",
                "sandboxes: {limits: {disk_per_account: 9GiB}}|/control/sandboxes/limits/disk_per_account",
                "sandboxes: {limits: {processes_per_account: 999}}|/control/sandboxes/limits/processes_per_account",
                "sandboxes: {creations: 0}|/control/sandboxes/creations",
                "unknown: 1|/control/unknown"
            })
    void aFieldThatIsWrongIsNamed(String line, String pointer) {
        assertThat(problems("  listen: \"127.0.0.1:8090\"\n  " + line + "\n"))
                .singleElement()
                .asString()
                .startsWith("f.yaml:")
                .contains(": " + pointer + ": ");
    }

    private static final SandboxdOptions.Gate GATE =
            new SandboxdOptions.Gate(8080, 53, Path.of("/etc/sallyport/ca.pem"));

    @Test
    void aQuotaThatIsLessThanOneVmTakesSaysWhatThatIs() {
        String begin =
                "  listen: \"127.0.0.1:8090\"\n  sandboxes: {size: {memory: 2GiB}, limits: {memory_per_account: ";

        assertThat(problems(begin + "1GiB}}\n"))
                .singleElement()
                .asString()
                .contains("1GiB is less than one VM takes", "at least size.memory, which is 2GiB");
        assertThat(problems(begin + "2GiB}}\n")).isEmpty();
    }

    @Test
    void whatSandboxdNeedsIsThereByTheNamesOfItsOptions() {
        String begin = "control: {listen: \"127.0.0.1:8090\", sandboxes: ";

        assertThat(Sections.control(begin + "{}}\n", FOLDER).sandboxd(GATE))
                .hasValueSatisfying(options -> assertThat(options)
                        .containsEntry("driver", "auto")
                        .containsEntry("socket", "/run/sallyport/sandboxd.sock")
                        .containsEntry("gate_port", "8080")
                        .containsEntry("dns_port", "53")
                        .containsEntry("ca_cert", "/etc/sallyport/ca.pem"));
        assertThat(Sections.control(
                                begin
                                        + "{dir: guests, subnet: 10.9.0.0/16, sandboxd: {user: ada, gate_port: 1, snapshot_memory: true}}}\n",
                                FOLDER)
                        .sandboxd(new SandboxdOptions.Gate(8080, 0, null)))
                .hasValueSatisfying(options -> assertThat(options)
                        .containsEntry("dir", "/etc/sallyport/guests")
                        .containsEntry("subnet", "10.9.0.0/16")
                        .containsEntry("user", "ada")
                        .containsEntry("gate_port", "1")
                        .containsEntry("snapshot_memory", "true")
                        .doesNotContainKeys("dns_port", "ca_cert"));
        assertThat(Sections.control(begin + "{driver: fake}}\n", FOLDER).sandboxd(GATE))
                .isEmpty();
    }

    @ParameterizedTest
    @CsvSource({":8090", "0.0.0.0:8090", "192.0.2.1:8090", "control.test:8090", "127.example.com:8090"})
    void plainHttpOnOtherAddressesThanLoopbackMustBeMeant(String listen) {
        String lines = "  listen: \"" + listen + "\"\n";

        assertThat(problems(lines)).singleElement().asString().contains("/control/listen", "insecure_http");
        assertThat(problems(lines + "  insecure_http: true\n")).isEmpty();
        assertThat(problems(lines + "  tls: {cert: a.pem, key: a.key}\n")).isEmpty();
    }

    @Test
    void aSlashAtTheEndOfTheBaseUrlIsNamed() {
        assertThat(problems("  listen: \"127.0.0.1:8090\"\n  base_url: \"https://a.test/\"\n"))
                .singleElement()
                .asString()
                .contains("a slash at its end");
        assertThat(problems("  listen: \"127.0.0.1:8090\"\n  base_url: \"ftp://a.test/\"\n"))
                .singleElement()
                .asString()
                .contains("not the address of a site");
    }

    @Test
    void anAccountAndSourcesAreNamed() {
        ControlConfig config = Sections.control(
                "control: {listen: \"127.0.0.1:8090\", default_account: org_01m893c2dq8k2v5tq0e7m3xw1n, policy_sources: [\"env:A\", \"cloud_sm:prod/key\", \"cloud_ssm:/prod/key\"]}\n",
                FOLDER);

        assertThat(config.defaultAccount()).isEqualTo("org_01m893c2dq8k2v5tq0e7m3xw1n");
        assertThat(config.policySources()).containsExactly("env:A", "cloud_sm:prod/key", "cloud_ssm:/prod/key");
    }

    @Test
    void openSignUpIsDoubtedOffLoopback() {
        assertThat(doubts("control: {listen: \":8090\", insecure_http: true}"))
                .singleElement()
                .asString()
                .contains("/control/sign_up");
        assertThat(doubts("control: {listen: \":8090\", insecure_http: true, sign_up: closed}"))
                .isEmpty();
        assertThat(doubts("control: {listen: \"127.0.0.1:8090\"}")).isEmpty();
    }

    @Test
    void sshPortsThatNobodyReachesAreDoubted() {
        String begin = "control: {listen: \"127.0.0.1:8090\", base_url: \"https://control.test\", sandboxes: {driver: ";

        assertThat(doubts(begin + "fake}}"))
                .singleElement()
                .asString()
                .contains("/control/sandboxes/ssh/listen", "control.test", "127.0.0.1");
        assertThat(doubts(begin + "fake, ssh: {listen: 0.0.0.0}}}")).isEmpty();
        assertThat(doubts(begin + "fake, ssh: {host: 127.0.0.1}}}")).isEmpty();
        assertThat(doubts(begin + "none}}")).isEmpty();
        assertThat(doubts(begin + "auto}}"))
                .as("nobody has asked for sandboxes")
                .isEmpty();
        assertThat(doubts("control: {listen: \"127.0.0.1:8090\", sandboxes: {driver: fake}}"))
                .isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "https://control.test, control.test",
        "https://control.test:8443, control.test",
        "'https://[::1]:8443', ::1",
        "https://my_host:8443, my_host",
        ", 127.0.0.1"
    })
    void sshClientsAreToldTheHostOfTheBaseUrl(String baseUrl, String host) throws Exception {
        ControlConfig config =
                Sections.control("control: {listen: \"127.0.0.1:8090\", sandboxes: {driver: none}}\n", FOLDER);

        assertThat(SandboxParts.of(config.sandboxes(), baseUrl).settings().ssh().host())
                .isEqualTo(host);
    }

    @Test
    void aProxyThatIsNotMadeForGuestsIsDoubted() {
        String guests = "control: {listen: \"127.0.0.1:8090\", sandboxes: {driver: oci, subnet: 10.78.0.0/16}}\n";

        assertThat(steering("dns: {proxy_ip: 10.78.0.2}\n" + guests))
                .satisfiesExactly(
                        transparent -> assertThat(transparent)
                                .contains("/proxy/transparent: off", "10.78.0.0/16 (/control/sandboxes/subnet)")
                                .contains("(expected: redirect)"),
                        address -> assertThat(address)
                                .contains("/dns/proxy_ip: 10.78.0.2, which is not where 10.78.0.0/16")
                                .contains("(expected: 10.78.0.1)"));
        assertThat(steering("dns: {proxy_ip: 10.78.0.1}\nproxy: {transparent: redirect}\n" + guests))
                .isEmpty();
        assertThat(steering("dns: {enabled: false}\nproxy: {transparent: tproxy}\n" + guests))
                .singleElement()
                .asString()
                .contains("/proxy/transparent: tproxy");
        assertThat(steering("dns: {proxy_ip: 10.78.0.2}\n" + guests.replace("oci", "auto")))
                .as("nobody has asked for sandboxes")
                .isEmpty();
        assertThat(steering("dns: {proxy_ip: 10.78.0.2}\n" + guests.replace("oci", "oci, sandboxd: {gate_port: 9}")))
                .as("guests are led elsewhere")
                .isEmpty();
    }

    private static List<String> steering(String yaml) {
        ConfigResult result = Sections.load(yaml, FOLDER, Map.of());
        return SteeringWarnings.of(Objects.requireNonNull(result.draft()), result.places()).stream()
                .map(ConfigProblem::toString)
                .toList();
    }

    private static List<String> doubts(String yaml) {
        ConfigResult result = Sections.load(yaml + "\n", FOLDER, Map.of());
        List<String> doubts = new ArrayList<>();
        for (SectionEntry<?> entry : Objects.requireNonNull(result.draft()).companions()) {
            entry.doubts(doubt -> doubts.add(doubt.toString()));
        }
        return doubts;
    }

    @Test
    void newerFieldsCanBeOverriddenByTheEnvironment() {
        ConfigResult result = Sections.load(
                "control: {listen: \"127.0.0.1:8090\"}\n",
                FOLDER,
                Map.of(
                        "SALLYPORT_CONTROL_TRUSTED_PROXIES",
                        "10.0.0.0/8,192.0.2.1",
                        "SALLYPORT_CONTROL_RATE_LIMITS_SIGN_UPS_PER_HOUR",
                        "3",
                        "SALLYPORT_CONTROL_BASE_URL",
                        "https://control.test",
                        "SALLYPORT_CONTROL_SANDBOXES_START",
                        "never",
                        "SALLYPORT_CONTROL_SANDBOXES_SANDBOXD_GATE_PORT",
                        "10080"));

        assertThat(Sections.problems(result)).isEmpty();
        ControlConfig config = (ControlConfig)
                Objects.requireNonNull(result.draft()).companions().getFirst().config();
        assertThat(config.trustedProxies()).containsExactly(IpRange.parse("10.0.0.0/8"), IpRange.parse("192.0.2.1"));
        assertThat(config.rateLimits().signUpsPerHour()).isEqualTo(3);
        assertThat(config.isSecure()).isTrue();
        assertThat(config.sandboxes().start()).isEqualTo(SandboxConfig.Start.NEVER);
        assertThat(config.sandboxes().sandboxd().gatePort()).isEqualTo(10_080);
    }
}
