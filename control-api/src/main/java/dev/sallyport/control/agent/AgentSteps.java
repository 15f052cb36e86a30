package dev.sallyport.control.agent;

import dev.sallyport.control.sandbox.AgentVms;
import dev.sallyport.control.sandbox.VmDetail;
import dev.sallyport.sandbox.TaskReport;
import dev.sallyport.sandbox.VmDriver;
import dev.sallyport.sandbox.VmException;
import jakarta.inject.Singleton;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Brings an agent one step nearer to its end. Each step can be repeated, after a kill at any point too: a task that was
 * started is seen in its VM. For any number of threads, one for each agent.
 */
@Singleton
final class AgentSteps {

    private static final Next AGAIN = new Next.Again();
    private static final Next DONE = new Next.Done();
    private static final Next QUIET = new Next.Quiet();
    private static final Next SOON = new Next.Soon();

    /** After the end of its time a task is ended inside the guest; where that does not help, the VM is stopped. */
    private static final Duration GRACE = Duration.ofSeconds(60);

    private static final int LARGEST_ANSWER = 4 << 20;

    /** So many parts of what an ended task has written are read; a guest keeps fewer, unless it makes them up. */
    private static final int MOST_PARTS = 32;

    private static final int TIMED_OUT = 124;
    private static final int KILLED = 137;

    private final AgentLedger ledger;
    private final AgentTasks tasks;
    private final AgentVms vms;
    private final VmDriver driver;
    private final AgentSettings settings;

    AgentSteps(AgentLedger ledger, AgentTasks tasks, AgentVms vms, VmDriver driver, AgentSettings settings) {
        this.ledger = ledger;
        this.tasks = tasks;
        this.vms = vms;
        this.driver = driver;
        this.settings = settings;
    }

    /** What comes after a step. */
    sealed interface Next {

        /** Another step. */
        record Again() implements Next {}

        /** Another step soon: there may be more to read, and reading is not all that is done here. */
        record Soon() implements Next {}

        /** Another step later: nothing has happened. */
        record Quiet() implements Next {}

        /** Nothing. */
        record Done() implements Next {}
    }

    /**
     * Takes a step.
     *
     * @throws VmException when the driver did not do its part
     */
    Next step(AgentRow agent) throws VmException, InterruptedException {
        if (agent.progress().stage() == AgentStage.DONE) {
            return DONE;
        }
        VmDetail vm = vms.detail(agent.identity().vm()).orElse(VmDetail.DESTROYED);
        return switch (vm.status()) {
            case PENDING -> QUIET;
            case RUNNING -> vm == VmDetail.READY ? work(agent) : QUIET;
            case STOPPED -> end(agent, "its VM was stopped");
            case DESTROYED -> end(agent, "its VM was destroyed");
            case FAILED ->
                end(
                        agent,
                        "its VM has failed; the events of " + agent.identity().vm() + " say why");
        };
    }

    /** It comes to nothing more, and that is so: a harness that cannot be seen any more is ended with its VM. */
    void giveUp(AgentRow agent, String why) {
        if (agent.progress().stage() == AgentStage.HARNESS && agent.progress().started()) {
            vms.stop(agent.identity().vm(), "its agent cannot be seen any more");
        }
        end(agent, why);
    }

    private Next end(AgentRow agent, String why) {
        ledger.write(now -> agent.with(agent.progress().to(AgentStage.DONE)).as(AgentStatus.IDLE, now), line(why));
        return DONE;
    }

    private static String line(String text) {
        return "sallyport: " + text + "\n";
    }

    private Next work(AgentRow agent) throws VmException, InterruptedException {
        AgentRow.Progress progress = agent.progress();
        if (!progress.started()) {
            driver.run(agent.vm(), progress.stage().task(), tasks.of(agent));
            begun(agent);
            return AGAIN;
        }
        boolean answers = progress.stage().answers();
        TaskReport report = driver.report(agent.vm(), progress.stage().task(), answers ? 0 : progress.offset());
        return switch (report.state()) {
            case TaskReport.State.Absent absent -> end(agent, "its VM was started anew");
            case TaskReport.State.Running running ->
                isLate(agent) ? late(agent) : answers ? QUIET : said(agent, report, false);
            case TaskReport.State.Ended ended ->
                answers ? answered(agent, ended.code()) : ended(agent, report, ended.code());
        };
    }

    private void begun(AgentRow agent) {
        AgentStage stage = agent.progress().stage();
        Duration limit = tasks.limit(stage);
        String said = switch (stage) {
            case CLONE -> line("cloning " + agent.identity().repo());
            case HARNESS ->
                line("harness " + agent.identity().harness() + " works for " + limit.toSeconds() + " s at most");
            default -> "";
        };
        ledger.write(
                now -> {
                    Instant deadline = Instant.ofEpochMilli(now).plus(limit);
                    AgentRow row = agent.with(agent.progress().begun().until(deadline));
                    return stage == AgentStage.HARNESS ? row.as(AgentStatus.RUNNING, now) : row;
                },
                said);
    }

    private boolean isLate(AgentRow agent) {
        Instant deadline = agent.progress().deadline();
        return deadline != null && ledger.now() > deadline.plus(GRACE).toEpochMilli();
    }

    private Next late(AgentRow agent) {
        vms.stop(agent.identity().vm(), "the time of its agent is over");
        return end(agent, "its time is over, and it does not end; its VM is stopped");
    }

    /** Keeps what a task has said, as whole lines while more may come. */
    private Next said(AgentRow agent, TaskReport report, boolean ended) {
        long missed = report.offset() - agent.progress().offset();
        int usable = Utf8.usable(report.output(), ended);
        if (usable == 0 && missed <= 0) {
            return QUIET;
        }
        String text = (missed > 0 ? line(missed + " bytes of output were too fast to be kept") : "")
                + new String(report.output(), 0, usable, StandardCharsets.UTF_8);
        ledger.write(now -> agent.with(agent.progress().at(report.offset() + usable)), text);
        return SOON;
    }

    /** Keeps the rest of what a task has said, and goes on. */
    private Next ended(AgentRow agent, TaskReport report, int code) throws VmException, InterruptedException {
        AgentRow row = agent;
        TaskReport rest = report;
        for (int i = 0; i < MOST_PARTS && rest.output().length > 0; i++) {
            said(row, rest, true);
            row = ledger.find(agent.id()).orElse(null);
            if (row == null) {
                return DONE;
            }
            rest = driver.report(
                    row.vm(), row.progress().stage().task(), row.progress().offset());
        }
        return ended(row, code);
    }

    private Next ended(AgentRow agent, int code) {
        boolean good = code == 0;
        return switch (agent.progress().stage()) {
            case CLONE -> good ? go(agent, AgentStage.HEAD, "") : end(agent, "the clone ended with " + code);
            case HARNESS -> harnessEnded(agent, code);
            case STAGE ->
                good ? go(agent, AgentStage.PATCH, "") : end(agent, "what was changed cannot be collected: " + code);
            case COMMIT -> good ? go(agent, AgentStage.PUSH, "") : end(agent, "the commit ended with " + code);
            case PUSH -> end(agent, good ? "pushed to " + AgentTasks.pushed(agent) : "the push ended with " + code);
            case HEAD, PATCH, DONE -> throw new IllegalStateException("no stage with a log");
        };
    }

    private Next go(AgentRow agent, AgentStage next, String said) {
        ledger.write(now -> agent.with(agent.progress().to(next)), said);
        return AGAIN;
    }

    private Next harnessEnded(AgentRow agent, int code) {
        Instant deadline = agent.progress().deadline();
        boolean timed = (code == TIMED_OUT || code == KILLED)
                && deadline != null
                && ledger.now() >= deadline.minusSeconds(1).toEpochMilli();
        String why = timed
                ? "its time, " + settings.timeBudget().toSeconds() + " s, is over"
                : "the harness ended with " + code;
        ledger.write(now -> agent.with(agent.progress().to(AgentStage.STAGE)).as(AgentStatus.IDLE, now), line(why));
        return AGAIN;
    }

    private Next answered(AgentRow agent, int code) throws VmException, InterruptedException {
        byte[] answer = answer(agent);
        return agent.progress().stage() == AgentStage.HEAD ? head(agent, code, answer) : patched(agent, code, answer);
    }

    /** All that the task of the stage has written; null when the guest has not kept all of it. */
    private byte @Nullable [] answer(AgentRow agent) throws VmException, InterruptedException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        while (all.size() <= LARGEST_ANSWER) {
            TaskReport report =
                    driver.report(agent.vm(), agent.progress().stage().task(), all.size());
            if (report.offset() != all.size()) {
                return null;
            }
            if (report.output().length == 0) {
                return all.toByteArray();
            }
            all.writeBytes(report.output());
        }
        return null;
    }

    private Next head(AgentRow agent, int code, byte @Nullable [] answer) {
        List<String> lines = answer == null
                ? List.of()
                : new String(answer, StandardCharsets.UTF_8).lines().toList();
        boolean known = code == 0
                && lines.size() == 2
                && lines.get(0).matches("[0-9a-f]{40,64}")
                && lines.get(1).matches("[^\\x00-\\x20\\x7F]{1,244}");
        if (!known) {
            return end(agent, "the repository has nothing to work on: " + String.join(" ", lines));
        }
        String branch = lines.get(1);
        ledger.write(
                now -> {
                    AgentRow row =
                            agent.with(agent.progress().from(lines.get(0)).to(AgentStage.HARNESS));
                    return agent.branch() == null && !branch.equals("HEAD") ? row.on(branch, now) : row;
                },
                line("at " + branch + ", " + lines.get(0)));
        return AGAIN;
    }

    private Next patched(AgentRow agent, int code, byte @Nullable [] answer) {
        AgentStage next = settings.push() ? AgentStage.COMMIT : AgentStage.DONE;
        if (code != 0) {
            return end(agent, "the patch cannot be made: git ended with " + code);
        }
        if (answer == null) {
            return go(agent, next, line("the patch is too large to be kept"));
        }
        if (answer.length == 0) {
            return go(agent, next, line("nothing was changed"));
        }
        ledger.write(
                now -> agent.with(agent.progress().to(next)),
                line("a patch of " + answer.length + " bytes is kept"),
                answer);
        return AGAIN;
    }
}
