package dev.sallyport.core.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** All problems come at once, each as {@code file:line:column: pointer: what is wrong (expected: ...)}. */
class ConfigProblemsTest {

    @Test
    void allProblemsAreToldAtOnceInTheOrderOfTheFile() {
        assertThat(Load.problems("""
                        dns:
                          listen: ":99999"
                        proxy:
                          http_listne: ":80"
                          max_request_body_bytes: 1MiB
                          upstream_deny_cidrs: [10.0.0.0/8, 10.0.0.0/33]
                        tls: {mode: sni}
                        transforms:
                          - name: gat
                        log: {level: loud}
                        """))
                .containsExactly(
                        "f.yaml:2:3: /dns/proxy_ip: missing field \"proxy_ip\""
                                + " (expected: the IP of the proxy, or dns.enabled: false)",
                        "f.yaml:2:11: /dns/listen: not a port: \":99999\" (expected: 0 to 65535)",
                        "f.yaml:4:3: /proxy/http_listne: unknown key \"http_listne\" (expected: http_listen?)",
                        "f.yaml:5:27: /proxy/max_request_body_bytes: wrong type: a string (expected: an integer)",
                        "f.yaml:6:37: /proxy/upstream_deny_cidrs/1: a prefix length out of range: \"10.0.0.0/33\" (expected: 0 to 32)",
                        "f.yaml:7:13: /tls/mode: unknown value: \"sni\" (expected: one of mitm, sni-only)",
                        "f.yaml:9:11: /transforms/0/name: unknown transform \"gat\" (expected: gate? known: one of gate, probe)",
                        "f.yaml:10:14: /log/level: unknown value: \"loud\" (expected: one of debug, info, warn, error)");
    }

    @Test
    void anUnknownKeyWithoutANearOneListsWhatIsKnown() {
        assertThat(Load.transformProblems("gate", "hosts: [a]"))
                .containsExactly("f.yaml:6:7: /transforms/0/config/hosts: unknown key \"hosts\""
                        + " (expected: one of domains, rules, warn)");
        assertThat(Load.transformProblems("gate", "domans: [a]"))
                .containsExactly(
                        "f.yaml:6:7: /transforms/0/config/domans: unknown key \"domans\" (expected: domains?)");
    }

    @Test
    void anUnknownTopLevelKeyIsAProblem() {
        assertThat(Load.problems(Load.VALID + "prxy: {}\n"))
                .containsExactly("f.yaml:3:1: /prxy: unknown key \"prxy\" (expected: proxy?)");
    }

    @Test
    void whatAMergeKeyBringsIsReportedWhereItStands() {
        assertThat(Load.problems(Load.VALID + "proxy: {<<: {http_listn: ':80'}}\n"))
                .containsExactly("f.yaml:3:14: /proxy/http_listn: unknown key \"http_listn\" (expected: http_listen?)");
    }

    @Test
    void aMissingFieldIsReportedWhereItWouldStand() {
        assertThat(Load.problems("dns:\n  listen: ':53'\ntls: {ca_cert: a}\nmanagement: {}\n"))
                .containsExactly(
                        "f.yaml:2:3: /dns/proxy_ip: missing field \"proxy_ip\""
                                + " (expected: the IP of the proxy, or dns.enabled: false)",
                        "f.yaml:3:6: /tls/ca_key: missing field \"ca_key\""
                                + " (expected: the path of a PEM CA private key, or mode: sni-only)",
                        "f.yaml:4:13: /management/listen: missing field \"listen\""
                                + " (expected: a listen address such as :8080, 127.0.0.1:8080 or [::1]:8080)");
    }

    @Test
    void anEmptyFileLacksWhatIsRequired() {
        assertThat(Load.problems(""))
                .containsExactly(
                        "f.yaml:1:1: /dns/proxy_ip: missing field \"proxy_ip\""
                                + " (expected: the IP of the proxy, or dns.enabled: false)",
                        "f.yaml:1:1: /tls/ca_cert: missing field \"ca_cert\""
                                + " (expected: the path of a PEM CA certificate, or mode: sni-only)",
                        "f.yaml:1:1: /tls/ca_key: missing field \"ca_key\""
                                + " (expected: the path of a PEM CA private key, or mode: sni-only)");
    }

    @Test
    void aWrongTypeIsNamed() {
        assertThat(Load.transformProblems("probe", """
                        name: 012
                        count: "3"
                        big: 1.5
                        share: [1]
                        timeout: {s: 1}
                        maybe: "true"
                        colour: [red]
                        ports: 80
                        weights: [1]
                        breaker: x
                        """))
                .containsExactly(
                        "f.yaml:6:13: /transforms/0/config/name: wrong type: a number (expected: a string; put it in quotes)",
                        "f.yaml:7:14: /transforms/0/config/count: wrong type: a string (expected: an integer, without quotes)",
                        "f.yaml:8:12: /transforms/0/config/big: wrong type: a number (expected: an integer)",
                        "f.yaml:9:14: /transforms/0/config/share: wrong type: a list (expected: a number)",
                        "f.yaml:10:16: /transforms/0/config/timeout: wrong type: a mapping (expected: a duration such as 30s, 1h30m or 250ms)",
                        "f.yaml:11:14: /transforms/0/config/maybe: wrong type: a string (expected: true or false, without quotes)",
                        "f.yaml:12:15: /transforms/0/config/colour: wrong type: a list (expected: one of red, blue, dark-green)",
                        "f.yaml:13:14: /transforms/0/config/ports: wrong type: a number (expected: a list)",
                        "f.yaml:14:16: /transforms/0/config/weights: wrong type: a list (expected: a mapping)",
                        "f.yaml:15:16: /transforms/0/config/breaker: wrong type: a string (expected: a mapping)");
    }

    @Test
    void theWholeFileMustBeAMapping() {
        assertThat(Load.problems("- a\n"))
                .containsExactly("f.yaml:1:1: wrong type: a list"
                        + " (expected: a mapping with the sections dns, proxy, tls, transforms, ...)");
    }

    @Test
    void valuesOutOfRangeAreProblems() {
        assertThat(Load.transformProblems(
                        "probe", "name: x\ncount: 10\ntimeout: -1s\nskew: 2m\nbig: 99999999999999999999\n"))
                .containsExactly(
                        "f.yaml:7:14: /transforms/0/config/count: out of range: 10 (expected: 1 to 9)",
                        "f.yaml:8:16: /transforms/0/config/timeout: out of range: \"-1s\" (expected: 0 or more)",
                        "f.yaml:9:13: /transforms/0/config/skew: out of range: \"2m\" (expected: -1m to 1m)",
                        "f.yaml:10:12: /transforms/0/config/big: out of range: 99999999999999999999"
                                + " (expected: -9223372036854775808 to 9223372036854775807)");
        assertThat(Load.problems(Load.VALID + "proxy: {upstream_response_header_timeout: 0s}\n"))
                .containsExactly("f.yaml:3:43: /proxy/upstream_response_header_timeout: out of range: \"0s\""
                        + " (expected: at least 1ms)");
    }

    @Test
    void limitsOnTheWaitForHeadsNeedRulesAndATime() {
        assertThat(Load.problems(Load.VALID + """
                        proxy:
                          upstream_response_header_timeouts:
                            - {rules: [], timeout: 0s}
                            - {rules: [{host: "a..b"}]}
                            - {timeout: 1s}
                        """))
                .hasSize(5)
                .anyMatch(line -> line.contains("/0/rules: an empty list (expected: at least one rule)"))
                .anyMatch(line -> line.contains("/0/timeout: out of range: \"0s\" (expected: at least 1ms)"))
                .anyMatch(line -> line.contains("/1/rules/0/host: "))
                .anyMatch(line -> line.contains("/1/timeout: missing field \"timeout\""))
                .anyMatch(line -> line.contains("/2/rules: missing field \"rules\""));
    }

    @Test
    void numbersHaveNoLeadingZeros() {
        assertThat(Load.transformProblems("probe", "name: x\ncount: 010\n"))
                .containsExactly("f.yaml:7:14: /transforms/0/config/count: not an integer: 010"
                        + " (expected: a decimal integer without leading zeros)");
    }

    @Test
    void badCidrsAndPortsAreProblems() {
        assertThat(Load.problems("""
                        dns: {proxy_ip: 192.0.2.300, upstream_resolver: "192.0.2.1:0"}
                        proxy:
                          http_listen: 127.0.0.1
                          tunnel_listen: "::1:80"
                          upstream_deny_cidrs: [10.1.0.0/8]
                        tls: {mode: sni-only}
                        """))
                .containsExactly(
                        "f.yaml:1:17: /dns/proxy_ip: not a host: \"192.0.2.300\" (expected: an IP address such as 192.0.2.1 or 2001:db8::1)",
                        "f.yaml:1:49: /dns/upstream_resolver: not a port: \"192.0.2.1:0\" (expected: 1 to 65535)",
                        "f.yaml:3:16: /proxy/http_listen: a listen address without a port: \"127.0.0.1\""
                                + " (expected: a listen address such as :8080, 127.0.0.1:8080 or [::1]:8080)",
                        "f.yaml:4:18: /proxy/tunnel_listen: an IPv6 address without brackets: \"::1:80\""
                                + " (expected: a listen address such as :8080, 127.0.0.1:8080 or [::1]:8080)",
                        "f.yaml:5:25: /proxy/upstream_deny_cidrs/0: bits are set after the prefix of a range: \"10.1.0.0/8\" (expected: 10.0.0.0/8)");
    }

    @Test
    void rulesAreCheckedWithWhatWillMatchThem() {
        List<String> problems = Load.transformProblems("gate", """
                rules:
                  - host: a.example.com
                    cidr: 10.0.0.0/8
                  - paths: ["/v1"]
                  - cidr: 10.0.0.0/99
                  - host: a.example.com
                    paths: ["/ok", "v1"]
                """);
        assertThat(problems).hasSize(4);
        assertThat(problems.get(0)).startsWith("f.yaml:7:11: /transforms/0/config/rules/0");
        assertThat(problems.get(1)).startsWith("f.yaml:9:11: /transforms/0/config/rules/1");
        assertThat(problems.get(2)).startsWith("f.yaml:10:17: /transforms/0/config/rules/2/cidr: ");
        assertThat(problems.get(3)).startsWith("f.yaml:12:26: /transforms/0/config/rules/3/paths/1: ");
    }

    @Test
    void aSingleRuleIsCheckedToo() {
        assertThat(Load.transformProblems("probe", "name: x\nonly: {host: a, paths: [b]}\n"))
                .singleElement()
                .asString()
                .startsWith("f.yaml:7:31: /transforms/0/config/only/paths/0: ");
    }

    @Test
    void whatAPluginFindsIsReportedAtItsPlace() {
        assertThat(Load.transformProblems("gate", "domains: [ok, bad]"))
                .containsExactly("f.yaml:6:21: /transforms/0/config/domains/1: a bad domain (expected: a good one)");
    }

    @Test
    void aPluginThatFailsToValidateIsReportedWithItsMessageAndItsPlace() {
        assertThat(Load.transformProblems("gate", "domains: [crash]"))
                .singleElement()
                .asString()
                .startsWith("f.yaml:6:7: /transforms/0/config: ")
                .contains(
                        " failed in validate: java.lang.IllegalStateException: s3cret", "validateGate, Plugins.java:");
    }

    @Test
    void aPluginIsAskedAboutWhatCouldBeBoundOfItsConfiguration() {
        assertThat(Load.transformProblems("gate", """
                        domains: [bad, 1e2, bad]
                        warn: 3
                        rules:
                          - {host: a.example.com, methods: GET}
                          - {host: "a..b"}
                        """))
                .satisfies(problems ->
                        assertThat(problems.getLast()).startsWith("f.yaml:10:18: /transforms/0/config/rules/1/host: "))
                .hasSize(6)
                .startsWith(
                        "f.yaml:6:17: /transforms/0/config/domains/0: a bad domain (expected: a good one)",
                        "f.yaml:6:22: /transforms/0/config/domains/1: wrong type: a number (expected: a string; put it in quotes)",
                        "f.yaml:6:27: /transforms/0/config/domains/2: a bad domain (expected: a good one)",
                        "f.yaml:7:13: /transforms/0/config/warn: wrong type: a number (expected: true or false)",
                        "f.yaml:9:42: /transforms/0/config/rules/0/methods: wrong type: a string (expected: a list)");
    }

    @Test
    void whatFollowsFromAProblemIsNotToldAgain() {
        // given: a misspelt key leaves another unset, a wrong type a rule without host, and a crash of what cannot be
        assertThat(Load.problems("""
                        dns: {proxy_pi: 192.0.2.1}
                        tls: {ca_crt: a, ca_key: b}
                        proxy: {http_listen: 80, https_listen: disabled}
                        transforms:
                          - name: gate
                            config: {domains: [crash], warn: 3}
                          - name: gate
                            config: {rules: [{host: [a]}, {host: a, cidr: 03}]}
                        """))
                .containsExactly(
                        "f.yaml:1:7: /dns/proxy_pi: unknown key \"proxy_pi\" (expected: proxy_ip?)",
                        "f.yaml:2:7: /tls/ca_crt: unknown key \"ca_crt\" (expected: ca_cert?)",
                        "f.yaml:3:22: /proxy/http_listen: wrong type: a number"
                                + " (expected: a listen address such as :8080, 127.0.0.1:8080 or [::1]:8080, or disabled)",
                        "f.yaml:6:38: /transforms/0/config/warn: wrong type: a number (expected: true or false)",
                        "f.yaml:8:29: /transforms/1/config/rules/0/host: wrong type: a list (expected: a string)",
                        "f.yaml:8:51: /transforms/1/config/rules/1/cidr: wrong type: a number (expected: a string; put it in quotes)");
    }

    @Test
    void sectionsAreComparedWithEachOtherAlsoWhenSomethingElseIsWrong() {
        assertThat(Load.problems(Load.VALID + """
                        proxy: {http_listen: ":8080", tunnel_listen: ":8080", lint: x}
                        transforms: [{name: nobody}]
                        """))
                .satisfies(problems -> assertThat(problems.get(2)).startsWith("f.yaml:4:21: /transforms/0/name: "))
                .startsWith(
                        "f.yaml:3:46: /proxy/tunnel_listen: the address is taken by /proxy/http_listen (expected: another port)",
                        "f.yaml:3:61: /proxy/lint: unknown value: \"x\" (expected: one of warn, strict)")
                .hasSize(3);
    }

    @Test
    void theDnsServerTakesAPortToo() {
        assertThat(Load.problems("""
                        dns: {proxy_ip: 192.0.2.1, listen: "127.0.0.1:5353"}
                        proxy: {tunnel_listen: ":5353"}
                        tls: {ca_cert: a, ca_key: b}
                        """))
                .containsExactly(
                        "f.yaml:1:36: /dns/listen: the address is taken by /proxy/tunnel_listen (expected: another port)");
    }

    @Test
    void transformsNeedANameAndKnowNoOtherKeys() {
        assertThat(Load.problems(Load.VALID + "transforms:\n  - {}\n  - gate\n  - {name: gate, cofnig: {}}\n"))
                .containsExactly(
                        "f.yaml:4:5: /transforms/0/name: missing field \"name\" (expected: one of gate, probe)",
                        "f.yaml:5:5: /transforms/1: wrong type: a string (expected: a mapping with name and config)",
                        "f.yaml:6:18: /transforms/2/cofnig: unknown key \"cofnig\" (expected: config?)");
    }

    @Test
    void whatIsNotInstalledNamesItsModule() {
        assertThat(ConfigReport.of(((ConfigResult.Invalid) ConfigLoader.load(
                                "f.yaml",
                                Load.VALID + "transforms: [{name: judge}]\nmcp: {}\ncontrol: {}\ncontrol_plane: {}\n",
                                Load.FOLDER,
                                Map.of(),
                                PluginCatalog.empty()))
                        .problems()))
                .isEqualTo("""
                        f.yaml:3:21: /transforms/0/name: transform "judge" is not installed (expected: the module sallyport-transform-judge)
                        f.yaml:4:1: /mcp: section "mcp" is not installed (expected: the module sallyport-mcp)
                        f.yaml:5:1: /control: section "control" is not installed (expected: the module sallyport-control-api)
                        f.yaml:6:1: /control_plane: section "control_plane" is not installed (expected: the module sallyport-feed)
                        """);
        assertThat(Load.transformProblems("probe", "name: x\ntoken: {type: vault, secret_ref: x}\n"))
                .containsExactly(
                        "f.yaml:7:21: /transforms/0/config/token/type: secret source \"vault\" is not installed"
                                + " (expected: the module sallyport-source-vault)");
    }

    @Test
    void secretSourcesAreBoundByTheirType() {
        assertThat(Load.transformProblems("probe", """
                        name: x
                        token: {type: evn, var: A}
                        credentials:
                          a: {var: A}
                          b: {type: env, vra: A}
                          c: {type: file, path: p, ttl: 1x}
                          d: {type: env, var: A, optional: maybe}
                          e: s3cret
                        """))
                .containsExactly(
                        "f.yaml:7:21: /transforms/0/config/token/type: unknown secret source \"evn\" (expected: env? known: one of env, file)",
                        "f.yaml:9:12: /transforms/0/config/credentials/a/type: missing field \"type\" (expected: one of env, file)",
                        "f.yaml:10:24: /transforms/0/config/credentials/b/vra: unknown key \"vra\" (expected: var?)",
                        "f.yaml:11:39: /transforms/0/config/credentials/c/ttl: not a duration (expected: a duration such as 30s, 1h30m or 250ms)",
                        "f.yaml:12:42: /transforms/0/config/credentials/d/optional: wrong type: a string (expected: true or false)",
                        "f.yaml:13:12: /transforms/0/config/credentials/e: wrong type: a string (expected: a secret source such as {type: env, var: NAME})");
    }

    @Test
    void valuesThatMayBeSecretsAreNotShown() {
        assertThat(Load.transformProblems("probe", "name: x\napi_key: [s3cret]\ntoken: {type: s3cret}\n")
                        .toString())
                .doesNotContain("[s3cret");
        assertThat(Load.transformProblems("probe", "name: x\ntoken: {type: file, path: \"s3cret\\0\"}\n"))
                .containsExactly(
                        "f.yaml:7:33: /transforms/0/config/token/path: not a path (expected: the path of a file)");
    }

    @Test
    void longValuesAreShownShortenedAndOnOneLine() {
        assertThat(Load.transformProblems("probe", "name: x\ntimeout: \"1\\n" + "x".repeat(100) + "\"\n"))
                .containsExactly("f.yaml:7:16: /transforms/0/config/timeout: not a duration: \"1?" + "x".repeat(38)
                        + "...\" (expected: a duration such as 30s, 1h30m or 250ms)");
    }

    @Test
    void fieldsThatDependOnEachOtherAreChecked() {
        assertThat(Load.problems("""
                        dns:
                          proxy_ip: 2001:db8::1
                          proxy_ip6: 2001:db8::2
                          passthrough: ["a..b"]
                          records:
                            - {name: a.example, type: A, value: b.example}
                            - {name: b.example, type: CNAME, value: 192.0.2.1}
                            - {name: "*.c", type: A, value: 192.0.2.1}
                        proxy:
                          https_listen: disabled
                          tunnel_listen: 127.0.0.1:80
                        tls: {mode: sni-only}
                        metrics: {listen: "127.0.0.1:80"}
                        """))
                .satisfies(problems -> assertThat(problems.get(1)).startsWith("f.yaml:4:17: /dns/passthrough/0: "))
                .filteredOn(problem -> !problem.contains("passthrough"))
                .containsExactly(
                        "f.yaml:3:14: /dns/proxy_ip6: it cannot be combined with an IPv6 proxy_ip (expected: an IPv4 proxy_ip, or no proxy_ip6)",
                        "f.yaml:6:41: /dns/records/0/value: an A record that is not an IPv4 address (expected: an address such as 192.0.2.1)",
                        "f.yaml:7:45: /dns/records/1/value: a CNAME that is not a host name (expected: a host name such as host.example.com)",
                        "f.yaml:8:14: /dns/records/2/name: not a host name (expected: a host name such as host.example.com)",
                        "f.yaml:11:18: /proxy/tunnel_listen: the address is taken by /proxy/http_listen (expected: another port)",
                        "f.yaml:13:19: /metrics/listen: the address is taken by /proxy/http_listen (expected: another port)",
                        "f.yaml:13:19: /metrics/listen: the address is taken by /proxy/tunnel_listen (expected: another port)");
    }

    @Test
    void someListenerMustBeOn() {
        assertThat(Load.problems(Load.VALID + "proxy: {http_listen: disabled, https_listen: disabled}\n"))
                .containsExactly("f.yaml:3:8: /proxy: all listeners are disabled"
                        + " (expected: one of http_listen, https_listen, tunnel_listen)");
    }

    @Test
    void onlyAnOptionalListenerCanBeDisabled() {
        assertThat(Load.problems(Load.VALID + "management: {listen: disabled}\n"))
                .containsExactly("f.yaml:3:22: /management/listen: a listen address without a port: \"disabled\""
                        + " (expected: a listen address such as :8080, 127.0.0.1:8080 or [::1]:8080)");
    }

    @Test
    void userNamesAreCheckedForTheProtocolsThatCarryThem() {
        assertThat(Load.problems(Load.VALID + """
                        proxy:
                          auth:
                            users:
                              - {name: "a:b", password: {type: env, var: P}}
                              - {name: ci, password: {type: env, var: P}}
                              - {name: ci, password: {type: env, var: P}}
                        """))
                .containsExactly(
                        "f.yaml:6:16: /proxy/auth/users/0/name: not a user name (expected: 1 to 255 bytes without colons and control characters)",
                        "f.yaml:8:16: /proxy/auth/users/2/name: a duplicate user name (expected: each name once)");
    }

    @Test
    void theManagementKeyIsNamedByAVariable() {
        assertThat(Load.problems(Load.VALID + "management: {listen: ':1', api_key_env: 's3cret-key'}\n"))
                .containsExactly("f.yaml:3:41: /management/api_key_env: not the name of a variable"
                        + " (expected: letters, digits and underscores)");
    }

    @Test
    void whatIsNotUsedIsAWarning() {
        ConfigResult result = Load.result("""
                        dns: {enabled: false}
                        tls:
                          mode: sni-only
                          ca_cert: ca.pem
                          ca_key: ca.key
                          cert_cache_size: 10
                          leaf_cert_expiry_hours: 1
                          leaf_backdate: 1h
                          passthrough: [pinned.example.com]
                          upstream_ca: more.pem
                        """, Map.of());
        assertThat(result).isInstanceOf(ConfigResult.Loaded.class);
        assertThat(ConfigReport.of(result.warnings())).isEqualTo("""
                        f.yaml:4:12: /tls/ca_cert: not used in mode sni-only
                        f.yaml:5:11: /tls/ca_key: not used in mode sni-only
                        f.yaml:6:20: /tls/cert_cache_size: not used in mode sni-only
                        f.yaml:7:27: /tls/leaf_cert_expiry_hours: not used in mode sni-only
                        f.yaml:8:18: /tls/leaf_backdate: not used in mode sni-only
                        f.yaml:9:16: /tls/passthrough: not used in mode sni-only
                        """);
    }

    @Test
    void passthroughTakesHostGlobs() {
        assertThat(Load.problems("""
                        dns: {enabled: false}
                        tls:
                          ca_cert: ca.pem
                          ca_key: ca.key
                          passthrough: [pinned.example.com, "*.bücher.example", "https://x", "a b", 10.0.0.1]
                        """))
                .hasSize(2)
                .allMatch(line -> line.startsWith("f.yaml:5:"))
                .anyMatch(line -> line.contains("/tls/passthrough/2"))
                .anyMatch(line -> line.contains("/tls/passthrough/3"));
    }

    @Test
    void duplicatesDoNotHideOtherProblems() {
        assertThat(Load.problems(Load.VALID + "log: {level: info}\nlog: {levle: x}\nmetrics: {port: 1}\n"))
                .containsExactly(
                        "f.yaml:4:1: /log: duplicate key, first set at line 3 (expected: each key once)",
                        "f.yaml:5:11: /metrics/port: unknown key \"port\" (expected: one of listen, native_histograms)");
    }

    @Test
    void aFileThatCannotBeReadIsAProblem(@TempDir Path folder) throws Exception {
        Path missing = folder.resolve("missing.yaml");
        Path binary = Files.write(folder.resolve("binary.yaml"), new byte[] {'a', (byte) 0xFF});
        assertThat(report(missing)).isEqualTo(missing + ": no such file (expected: a YAML file)\n");
        assertThat(report(folder)).isEqualTo(folder + ": a folder (expected: a YAML file)\n");
        assertThat(report(binary)).isEqualTo(binary + ": not UTF-8 text (expected: YAML in UTF-8)\n");
    }

    private static String report(Path file) {
        return ConfigReport.of(
                ((ConfigResult.Invalid) ConfigLoader.load(file, Map.of(), Plugins.catalog())).problems());
    }
}
