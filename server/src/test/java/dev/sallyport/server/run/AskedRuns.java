package dev.sallyport.server.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.server.cli.Sallyport;
import dev.sallyport.testsupport.TestCertificates;
import dev.sallyport.testsupport.TestDnsServer;
import dev.sallyport.testsupport.TestOrigin;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** {@code sallyport run --ask} at a terminal with a person, and an origin that the policy of the run does not allow. */
final class AskedRuns implements AutoCloseable {

    /**
     * A person: runs a program on a terminal of its own, answers each question as the first argument says, shows
     * everything and, at the end, the exit code. Instead of answers, "continue" and "kill" send signals to the process
     * that the program has named; after "kill" the terminal stays until the program has made the file went-on.
     */
    private static final String PERSON = """
            import os, pty, re, signal, sys, time
            answer = sys.argv[1]
            signals = {'continue': signal.SIGCONT, 'kill': signal.SIGKILL}
            child, terminal = pty.fork()
            if child == 0:
                stay = ['sh', '-c', '"$@"; until [ -e went-on ]; do sleep 0.1; done', 'sh']
                command = (stay if answer == 'kill' else []) + sys.argv[2:]
                os.execvp(command[0], command)
            said, seen, told = '', 0, False
            while True:
                try:
                    more = os.read(terminal, 65536)
                except OSError:
                    break
                if not more:
                    break
                said += more.decode(errors='replace')
                for question in re.finditer(r'type (\\d{6}) to let.*? s\\): ', said[seen:], re.S):
                    seen += question.end()
                    if answer in signals:
                        os.kill(int(re.search(r'process (\\d+)\\.', said).group(1)), signals[answer])
                        continue
                    number = question.group(1) + '\\n'
                    reply = {'yes': number, 'late': number, 'no': 'y\\n', 'interrupt': '\\x03'}[answer]
                    if answer == 'late':
                        time.sleep(1)
                    os.write(terminal, reply.encode())
                if 'sallyport: let through' in said and 'waiting for a line' in said and not told:
                    told = True
                    os.write(terminal, b'for the program\\n')
            print(said)
            print('code', os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
            """;

    private final Path folder;
    private final TestDnsServer names;
    private final TestOrigin origin;

    /** @param folder where the programs run */
    AskedRuns(Path folder) throws Exception {
        this.folder = folder;
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxrwxrwx"));
        TestCertificates certificates = new TestCertificates(folder, "api.run.test");
        Files.setPosixFilePermissions(certificates.originPem, PosixFilePermissions.fromString("rw-r--r--"));
        names = new TestDnsServer().address("api.run.test", "127.0.0.1", 60);
        origin = TestOrigin.tls(certificates.origin, TestOrigin.always(request -> TestOrigin.ok("from the origin\n")));
        Files.writeString(
                folder.resolve("policy.yaml"), """
                dns: {upstream_resolver: "127.0.0.1:%d"}
                proxy: {upstream_deny_cidrs: []}
                tls: {upstream_ca: origin.pem}
                transforms:
                  - name: allowlist
                    config:
                      rules:
                        - {host: another.run.test, ports: [%d]}
                """.formatted(names.address().getPort(), origin.port()));
    }

    /** Where the origin is, for a client. */
    String authority() {
        return "api.run.test:" + origin.port();
    }

    /** For the origin. */
    String url(String path) {
        return "https://" + authority() + path;
    }

    /** What the terminal showed. */
    String atTerminal(Runs runs, String answer, Map<String, String> environment, List<String> more, String script)
            throws Exception {
        List<String> command = new ArrayList<>(List.of("python3", "-c", PERSON, answer));
        List<String> options = new ArrayList<>(List.of("-config", "policy.yaml", "--ask"));
        options.addAll(more);
        command.addAll(runs.command(options, "sh", "-c", script));
        Path out = Files.createTempFile(folder, "out", ".txt");
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(out.toFile());
        builder.environment().remove("CI");
        builder.environment().putAll(Sallyport.JAVA);
        builder.environment().put("HOME", folder.toString());
        builder.environment().put("TERM", "xterm");
        builder.environment().putAll(environment);
        Process process = builder.start();
        try {
            assertThat(process.waitFor(90, TimeUnit.SECONDS))
                    .as("%s: %s", runs, Files.readString(out))
                    .isTrue();
            return Files.readString(out).replace("\r", "");
        } finally {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
    }

    /** How many the terminal showed. */
    static int questions(String said) {
        return said.split("sallyport: not allowed: ", -1).length - 1;
    }

    @Override
    public void close() throws IOException {
        origin.close();
        names.close();
    }
}
