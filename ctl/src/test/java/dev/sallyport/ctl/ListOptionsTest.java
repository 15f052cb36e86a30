package dev.sallyport.ctl;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Each filter, sort key and order of the lists on egress, secrets and variables is asked for as the API calls it. */
class ListOptionsTest {

    private static final String KEY = "sp_live_0123456789012345678901234567890123456789012";

    @TempDir
    Path folder;

    @ParameterizedTest
    @CsvSource({
        "rule list --name n, /v1/egress/rules, name=n",
        "rule list --host *.a.test, /v1/egress/rules, host=*.a.test",
        "rule list --cidr 10.0.0.0/8, /v1/egress/rules, cidr=10.0.0.0/8",
        "rule list --sort host --order asc, /v1/egress/rules, sort=host&order=asc",
        "rule list --limit 3 --cursor c, /v1/egress/rules, limit=3&cursor=c",
        "secret list --name n, /v1/secrets, name=n",
        "secret list --sort name --order desc, /v1/secrets, sort=name&order=desc",
        "secret list --limit 3 --cursor c, /v1/secrets, limit=3&cursor=c",
        "env list --limit 3 --cursor c, /v1/env, limit=3&cursor=c",
        "audit list --vm vm_00000000000000000000000000, /v1/audit/egress, vm_id=vm_00000000000000000000000000",
        "audit list --verdict denied --allowed true, /v1/audit/egress, verdict=denied&allowed=true",
        "audit list --mode warn, /v1/audit/egress, mode=warn",
        "audit list --host a.test, /v1/audit/egress, host=a.test",
        "audit list --cidr 10.0.0.0/8, /v1/audit/egress, cidr=10.0.0.0/8",
        "audit list --protocol tcp, /v1/audit/egress, protocol=tcp",
        "audit list --since 2026-01-02T03:04:05+01:00, /v1/audit/egress, since=2026-01-02T02:04:05Z",
        "audit list --until 2026-01-02, /v1/audit/egress, until=2026-01-02T00:00:00Z",
        "audit list --order asc, /v1/audit/egress, order=asc&limit=50",
        "audit list --limit 3 --cursor ee_x, /v1/audit/egress, limit=3&cursor=ee_x"
    })
    void anOptionIsAParameter(String command, String path, String query) throws Exception {
        try (StubServer server =
                new StubServer().answer(200, "{\"data\": [], \"has_more\": false, \"cursor\": null}")) {
            Shell shell = new Shell(folder).with("SALLYPORT_API_KEY", KEY).with("SALLYPORT_SERVER", server.url());

            assertThat(shell.run(command.split(" ", -1)).code()).isZero();

            String line =
                    URLDecoder.decode(server.requests().getLast().line().replace("+", "%2B"), StandardCharsets.UTF_8);
            assertThat(line).startsWith("GET " + path + "?");
            assertThat(List.of(line.substring(line.indexOf('?') + 1).split("&", -1)))
                    .contains(query.split("&", -1));
        }
    }
}
