package dev.sallyport.control.store;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jdbi.v3.core.statement.DefaultStatementBuilder;
import org.jdbi.v3.core.statement.StatementContext;

/**
 * The statements that a connection to SQLite has prepared, those {@value #MOST} that were used last: the driver keeps
 * none, and to prepare one often takes longer than to run it. For one thread at a time, as its connection.
 */
final class KeptStatements extends DefaultStatementBuilder {

    private static final int MOST = 128;

    private final Connection connection;

    /** Those that nobody uses now, by their text; the one that was used first comes first. */
    private final Map<String, PreparedStatement> idle = new LinkedHashMap<>();

    /** What those that are used were made of; their users know it only as it was before names became positions. */
    private final IdentityHashMap<Statement, String> texts = new IdentityHashMap<>();

    /** @param connection of the driver itself: a pool would close what was prepared through it, when it takes it back */
    KeptStatements(Connection connection) {
        this.connection = connection;
    }

    @Override
    public PreparedStatement create(Connection same, String sql, StatementContext context) throws SQLException {
        PreparedStatement kept = idle.remove(sql);
        PreparedStatement statement = kept == null ? super.create(connection, sql, context) : kept;
        texts.put(statement, sql);
        return statement;
    }

    @Override
    public void close(Connection same, String original, Statement statement) throws SQLException {
        String sql = texts.remove(statement);
        if (sql == null || !(statement instanceof PreparedStatement prepared) || statement.isClosed()) {
            super.close(same, original, statement);
            return;
        }
        giveBack(sql, prepared);
    }

    /** One with this text, which nobody else uses until it is given back. */
    PreparedStatement take(String sql) throws SQLException {
        PreparedStatement kept = idle.remove(sql);
        return kept == null ? connection.prepareStatement(sql) : kept;
    }

    /** Keeps one that was taken. */
    void giveBack(String sql, PreparedStatement prepared) throws SQLException {
        prepared.clearParameters();
        PreparedStatement other = idle.put(sql, prepared);
        if (other != null) {
            other.close();
        }
        if (idle.size() > MOST) {
            Iterator<PreparedStatement> oldest = idle.values().iterator();
            oldest.next().close();
            oldest.remove();
        }
    }
}
