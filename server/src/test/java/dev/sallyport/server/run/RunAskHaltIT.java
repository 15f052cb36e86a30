package dev.sallyport.server.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** That the program stands still while {@code sallyport run --ask} asks: docs/run.md. */
class RunAskHaltIT {

    @TempDir
    private Path folder;

    private AskedRuns asked;

    @BeforeEach
    void origin() throws Exception {
        asked = new AskedRuns(folder);
    }

    @AfterEach
    void end() throws IOException {
        asked.close();
    }

    @Tag("long")
    @Test
    void the_program_writes_nothing_while_a_question_stands() throws Exception {
        silentWhileAsked("(touch begun; while :; do echo noise; sleep 0.01; done) & noisy=$!");
    }

    /** Its stat file shows the main thread's state, which is that of a process that has ended. */
    @Tag("long")
    @Test
    void a_program_whose_main_thread_has_ended_writes_nothing_while_a_question_stands() throws Exception {
        silentWhileAsked("""
                python3 -c "
                import ctypes, os, threading, time
                def noise():
                    while True:
                        os.write(1, b'noise\\n')
                        time.sleep(0.01)
                threading.Thread(target=noise).start()
                open('begun', 'w').close()
                ctypes.CDLL(None).syscall(93 if os.uname().machine == 'aarch64' else 60, 0)
                " & noisy=$!""");
    }

    /** Young processes, which are found late, let it go on as soon as the shell is stopped. */
    @Tag("long")
    @Test
    void a_program_that_stops_itself_and_is_let_go_on_writes_nothing_while_a_question_stands() throws Exception {
        silentWhileAsked("""
                python3 -c "
                import os, signal, time
                shell, noisy = os.getppid(), os.getpid()
                if os.fork():
                    while True:
                        for i in range(20):
                            os.write(1, b'noise\\n')
                            time.sleep(0.01)
                        os.kill(noisy, signal.SIGSTOP)
                open('begun', 'w').close()
                signal.signal(signal.SIGCHLD, signal.SIG_IGN)
                turn = 0
                while os.getppid() == noisy:
                    if os.fork() == 0:
                        for i in range(20):
                            if ') T ' in open('/proc/%d/stat' % shell).read():
                                os.kill(noisy, signal.SIGCONT)
                            time.sleep(0.001)
                        os._exit(0)
                    time.sleep(0.005)
                    turn += 1
                    if turn % 20 == 0:
                        os.kill(noisy, signal.SIGCONT)
                " & noisy=$!""");
    }

    /** With variables only, it is no descendant of the program any more. */
    @Tag("long")
    @Test
    void what_the_program_has_left_in_the_session_writes_nothing_while_a_question_stands() throws Exception {
        silentWhileAsked("""
                (sh -c 'echo $$ >left; mv left begun; while :; do echo noise; sleep 0.01; done' &)
                until [ -e begun ]; do sleep 0.1; done
                noisy=$(cat begun)""");
    }

    /** @param noise begins to write noise, makes the file begun, and sets $noisy to the number of who writes */
    private void silentWhileAsked(String noise) throws Exception {
        for (Runs runs : Runs.all(folder)) {
            String script = noise + """

                    until [ -e begun ]; do sleep 0.1; done
                    rm begun
                    sleep 2
                    curl -sS %s
                    sleep 2
                    curl -sS %s
                    kill -9 $noisy
                    """.formatted(asked.url("/x"), asked.url("/y"));
            String said = asked.atTerminal(runs, "late", Map.of(), List.of(), script);

            assertThat(said.split("from the origin", -1)).as(runs + said).hasSize(3);
            String[] parts = said.split("sallyport: not allowed", -1);
            assertThat(parts).as(runs + said).hasSize(3);
            assertThat(parts[0]).as(runs.toString()).contains("noise");
            for (int question = 1; question < parts.length; question++) {
                assertThat(parts[question].split("sallyport: let through\n", -1)[0])
                        .as(runs.toString())
                        .doesNotContain("noise");
            }
            assertThat(parts[1]).as("%s: it goes on", runs).contains("noise");
        }
    }

    @Test
    void a_program_that_goes_on_ends_the_question() throws Exception {
        Runs runs = new Runs(folder, "env", false);
        String said = asked.atTerminal(
                runs, "continue", Map.of(), List.of(), "echo process $$.; curl -sS " + asked.url("/x"));

        assertThat(said)
                .contains("sallyport: refused: the program went on before there was an answer")
                .contains("Nobody was asked: the program went on before there was an answer.")
                .doesNotContain("from the origin");
        assertThat(AskedRuns.questions(said)).isEqualTo(1);
    }

    /** With a network namespace the kernel ends it. */
    @Test
    void a_program_goes_on_when_who_asks_is_killed() throws Exception {
        Runs runs = new Runs(folder, "env", false);
        String said = asked.atTerminal(
                runs,
                "kill",
                Map.of(),
                List.of(),
                "echo process $PPID.; curl -sS " + asked.url("/x") + "; touch went-on");

        assertThat(AskedRuns.questions(said)).isEqualTo(1);
        assertThat(said).doesNotContain("from the origin").endsWith("code 0\n");
        assertThat(folder.resolve("went-on")).exists();
    }
}
