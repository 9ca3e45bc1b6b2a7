/** Starts the language server of antelog for the folder that is open, once it is trusted. */

import * as vscode from "vscode";
import { LanguageClient, type LanguageClientOptions, type ServerOptions } from "vscode-languageclient/node";

import { candidates, findServer } from "./finding";

const BROUGHT = "It comes with: pip install '.[lsp]', in a copy of the project of antelog.";
const SETTINGS = "Open the setting";

let client: LanguageClient | undefined;
let output: vscode.LogOutputChannel;
/** One start after the other: each waits for the one before. */
let last: Promise<void> = Promise.resolve();

export function activate(context: vscode.ExtensionContext): void {
  output = vscode.window.createOutputChannel("antelog", { log: true });
  context.subscriptions.push(
    output,
    vscode.commands.registerCommand("antelog.restart", restart),
    vscode.commands.registerCommand("antelog.output", () => output.show()),
    vscode.workspace.onDidGrantWorkspaceTrust(restart),
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration("antelog.path")) {
        void restart();
      }
    }),
  );
  void watchInterpreter(context);
  void restart();
}

export async function deactivate(): Promise<void> {
  await last;
  await client?.stop();
}

function restart(): Promise<void> {
  last = last.then(start).catch((error: unknown) => {
    output.error(String(error));
    void offer(`The language server of antelog cannot be started: ${String(error)}`);
  });
  return last;
}

async function start(): Promise<void> {
  await client?.stop();
  client = undefined;
  if (!vscode.workspace.isTrusted) {
    output.info("This folder is not trusted: there are colours and snippets, and no server.");
    return;
  }
  const setting = vscode.workspace.getConfiguration("antelog").get<string>("path", "");
  const server = await findServer(candidates(setting, await interpreter()));
  if (!server) {
    const place = setting ? `at ${setting}, as the setting antelog.path says` : "in the Python interpreter or on the PATH";
    void offer(`There is no language server of antelog ${place}. ${BROUGHT}`);
    return;
  }
  output.info(`The server is from ${server.from}: ${[server.command, ...server.args].join(" ")}`);
  const options: ServerOptions = { command: server.command, args: [...server.args] };
  const watcher = vscode.workspace.createFileSystemWatcher("**/*.{alog,csv,jsonl,ndjson,parquet}");
  const wanted: LanguageClientOptions = {
    documentSelector: [{ language: "antelog", scheme: "file" }, { language: "antelog", scheme: "untitled" }],
    synchronize: { fileEvents: watcher },
    outputChannel: output,
  };
  client = new LanguageClient("antelog", "antelog", options, wanted);
  await client.start();
}

async function offer(message: string): Promise<void> {
  const chosen = await vscode.window.showWarningMessage(message, SETTINGS);
  if (chosen === SETTINGS) {
    await vscode.commands.executeCommand("workbench.action.openSettings", "antelog.path");
  }
}

// ---- the interpreter that the Python extension has for this window ----

interface PythonApi {
  readonly environments: {
    getActiveEnvironmentPath(): { readonly path: string };
    resolveEnvironment(path: { readonly path: string }): Promise<
      { readonly executable: { readonly uri: vscode.Uri | undefined } } | undefined
    >;
    readonly onDidChangeActiveEnvironmentPath: vscode.Event<unknown>;
  };
}

async function python(): Promise<PythonApi | undefined> {
  const extension = vscode.extensions.getExtension<PythonApi>("ms-python.python");
  return extension && (await extension.activate());
}

async function interpreter(): Promise<string | undefined> {
  const api = await python();
  if (!api) {
    return undefined;
  }
  const found = await api.environments.resolveEnvironment(api.environments.getActiveEnvironmentPath());
  return found?.executable.uri?.fsPath;
}

async function watchInterpreter(context: vscode.ExtensionContext): Promise<void> {
  const api = await python();
  if (api) {
    context.subscriptions.push(api.environments.onDidChangeActiveEnvironmentPath(() => void restart()));
  }
}
