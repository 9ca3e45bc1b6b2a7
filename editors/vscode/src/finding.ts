/** Where the server is: in the settings, in the chosen Python interpreter, or on the PATH. */

import { execFile } from "node:child_process";

/** A command that starts the server, and how messages name the place it is from. */
export interface Server {
  readonly command: string;
  readonly args: readonly string[];
  readonly from: string;
}

/** Whether a command ends well; it is given ten seconds. */
export type Runner = (command: string, args: readonly string[]) => Promise<boolean>;

export const runs: Runner = (command, args) =>
  new Promise((resolve) => {
    execFile(command, [...args], { timeout: 10_000, windowsHide: true }, (error) => resolve(error === null));
  });

/** Keeps modules of the folder that is open from being imported. */
const SAFE = "-P";

/**
 * The servers that may be there, the most wanted first. One that a setting names is the only one: if it does not
 * work, the user wants to know.
 */
export function candidates(setting: string, interpreter: string | undefined): Server[] {
  const named = setting.trim();
  if (named) {
    return [{ command: named, args: ["lsp"], from: "the setting antelog.path" }];
  }
  const found: Server[] = [];
  if (interpreter) {
    found.push({ command: interpreter, args: [SAFE, "-m", "antelog", "lsp"], from: interpreter });
  }
  found.push({ command: "antelog", args: ["lsp"], from: "the PATH" });
  return found;
}

/** The first server that is there and has all it needs. */
export async function findServer(servers: readonly Server[], run: Runner = runs): Promise<Server | undefined> {
  for (const server of servers) {
    if (await run(server.command, [...server.args, "--check"])) {
      return server;
    }
  }
  return undefined;
}
