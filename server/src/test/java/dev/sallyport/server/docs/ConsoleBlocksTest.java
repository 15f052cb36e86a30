package dev.sallyport.server.docs;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ConsoleBlocksTest {

    @Test
    void commands_stand_in_console_blocks_only() {
        ConsoleBlocks blocks = ConsoleBlocks.of("""
                $ not this
                ```console
                $ one two
                a
                b
                $ three &
                ```
                ```sh
                $ nor this
                ```
                """);

        assertThat(blocks.commands()).extracting(ConsoleBlocks.Command::text).containsExactly("one two", "three &");
        assertThat(blocks.commands()).extracting(ConsoleBlocks.Command::line).containsExactly(3, 6);
        assertThat(blocks.commands().getFirst().output()).containsExactly("a", "b");
        assertThat(blocks.commands().getLast().inBackground()).isTrue();
    }

    @Test
    void what_is_printed_must_be_what_is_said() {
        ConsoleBlocks.Command command = ConsoleBlocks.of("```console\n$ x\na ... (c)\n...\nlast\n```\n")
                .commands()
                .getFirst();

        assertThat(command.matches("a b (c)\nlast\n")).isTrue();
        assertThat(command.matches("a b (c)\n1\n2\nlast")).isTrue();
        assertThat(command.matches("a b c\nlast\n")).isFalse();
        assertThat(command.matches("a b (c)\nlast\nmore\n")).isFalse();
        assertThat(command.matches("a b (c)\n")).isFalse();
        assertThat(command.matches("")).isFalse();
        ConsoleBlocks.Command silent =
                ConsoleBlocks.of("```console\n$ x\n```\n").commands().getFirst();
        assertThat(silent.matches("")).isTrue();
        assertThat(silent.matches("something\n")).isFalse();
    }
}
