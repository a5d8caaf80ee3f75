package io.loligo.server.cli;

import picocli.CommandLine;
import picocli.CommandLine.ParseResult;

/** Why a command ends without success, and its exit status. Immutable. */
final class CommandFailure extends Exception {
  /** It was tried, and failed or was refused. */
  static final int FAILED = 1;

  /** The command line is wrong. */
  static final int USAGE = CommandLine.ExitCode.USAGE;

  /** The outcome is not known. */
  static final int UNKNOWN = 2;

  /** No proxy runs, or it cannot be reached. */
  static final int NOT_RUNNING = 3;

  private static final long serialVersionUID = 1;

  private final int status;

  CommandFailure(int status, String message) {
    super(message);
    this.status = status;
  }

  int status() {
    return status;
  }

  /** Prints a failure; any other exception is a defect, and shows its trace. */
  static int handle(Exception failure, CommandLine command, ParseResult parsed) throws Exception {
    if (failure instanceof CommandFailure told) {
      command.getErr().println("loligo: " + told.getMessage());
      command.getErr().flush();
      return told.status();
    }
    throw failure;
  }
}
