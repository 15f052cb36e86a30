package dev.sallyport.control.model;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

/** What loops that serve all accounts go on after. */
class FaultsTest {

    @Test
    void whatOnePieceOfWorkTriggersIsSurvived() {
        for (Throwable fault : new Throwable[] {
            new IllegalStateException(),
            new StackOverflowError(),
            new OutOfMemoryError("an array"),
            new NoClassDefFoundError(),
            new ExceptionInInitializerError(),
            new AssertionError()
        }) {
            assertThatCode(() -> Faults.survived(fault)).doesNotThrowAnyException();
        }
    }

    @Test
    void aVirtualMachineInDoubtIsNot() {
        InternalError internal = new InternalError();
        UnknownError unknown = new UnknownError();

        assertThatThrownBy(() -> Faults.survived(internal)).isSameAs(internal);
        assertThatThrownBy(() -> Faults.survived(unknown)).isSameAs(unknown);
    }
}
