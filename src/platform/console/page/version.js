import { Copy } from './copy.js';
import { AbiTable } from './abi.js';
import { fileAddress } from './api.js';
import { to, useData, valueOf } from './hooks.js';
import { html } from './html.js';
import { Card, Code, Empty, Facts, Hash, Head, Progress, Status, Time } from './parts.js';
import { Table } from './table.js';
import { useEffect, useState } from './vendor/hooks.js';

/** @typedef {import('../shapes.js').ShownVersion} ShownVersion */

/** One version: how it compiled, what is in it, where it stands. @param {{ route: import('./hooks.js').Route }} props */
export function Version({ route }) {
  const [, project = '', slug = ''] = route.parts;
  const path = `_platform/console/projects/${encodeURIComponent(project)}/versions/${encodeURIComponent(slug)}`;
  /** @type {import('./hooks.js').Loaded<ShownVersion>} */
  const { data, problem } = useData(path);
  const trail = [
    ['Projects', '#/projects'],
    [project, to(['projects', project])],
  ];
  return html`<${Head} title=${data ? `${project} ${data.version}` : slug} trail=${trail}>
      ${data && html`<${Status} of=${data.status} />`}
    <//>
    <${Progress} of=${{ data, problem }} />
    ${data && html`<${Compiled} data=${data} /><${Artifacts} data=${data} /><${Instances} data=${data} /><${Sources} data=${data} />`}`;
}

/** @param {{ data: ShownVersion }} props */
function Compiled({ data }) {
  const rows = [
    ['Compiler', html`<code>solc ${data.compiler_settings.solidity}</code>`],
    ['Optimizer', data.optimizer === null ? 'off' : `${data.optimizer} runs`],
    ['Packages', data.packages.length === 0 ? 'none' : html`<code>${data.packages.join(', ')}</code>`],
    ['Submitted', html`<${Time} at=${data.created_at} whole />`],
    ['Compiled', html`<${Time} at=${data.last_compiled_at} whole />`],
    ['Deployed', html`<${Time} at=${data.last_deployed_at} whole />`],
    [
      'Findings',
      data.vulnerabilities === null ? html`<span class="faint">not analysed</span>` : data.vulnerabilities,
    ],
  ];
  return html`<${Facts} rows=${rows} /> ${
      data.latest_error !== '' &&
      html`<${Card}
        title=${data.artifacts.length === 0 ? 'What the compiler says' : 'Why its last deployment failed'}
        ><${Code} text=${data.latest_error} label="Error text"
      /><//>`
    }`;
}

/** @param {{ data: ShownVersion }} props */
function Artifacts({ data }) {
  const [chosen, setChosen] = useState(0);
  if (data.status === 'compile_queued')
    return html`<p class="loading" role="status">The compiler works on it …</p>`;
  const artifact = data.artifacts.find((one) => one.id === chosen) ?? data.artifacts[0];
  if (!artifact) return null;
  const size = (artifact.bytecode.length - 2) / 2;
  const choice = html`<label class="choice">
    <span>Contract</span>
    <select
      value=${artifact.id}
      onChange=${(/** @type {Event} */ event) => setChosen(Number(valueOf(event)))}
    >
      ${data.artifacts.map((one) => html`<option value=${one.id}>${one.contract_name}</option>`)}
    </select>
  </label>`;
  return html`<${Card} title="ABI" beside=${choice}>
    <p class="about">
      <strong>${artifact.contract_name}</strong>
      ${` · artifact ${artifact.id} · ${size.toLocaleString('en')} bytes of creation code`}
      <span class="copies">
        <${Copy} text=${JSON.stringify(artifact.contract_abi)} what="the ABI as JSON" />${' ABI '}
        <${Copy} text=${artifact.bytecode} what="the bytecode" /> bytecode
      </span>
    </p>
    <${AbiTable} abi=${artifact.contract_abi} />
  <//>`;
}

/** @param {{ data: ShownVersion }} props */
function Instances({ data }) {
  /** @type {readonly import('./table.js').Column<import('../shapes.js').VersionInstance>[]} */
  const columns = [
    { head: 'Contract', cell: (row) => row.contract },
    {
      head: 'Address',
      cell: (row) => html`<${Hash} of=${row.address} what="the address" whole />`,
    },
    {
      head: 'Deployment',
      cell: (row) => html`<a href=${to(['deployments', row.deployment_id])}>${row.deployment_id}</a>`,
    },
    { head: 'Status', cell: (row) => html`<${Status} of=${row.status} />` },
  ];
  if (data.instances.length === 0 && data.artifacts.length === 0) return null;
  return html`<${Card} title="Where it stands">
    ${
      data.instances.length === 0
        ? html`<${Empty} title="Not deployed yet." command="windlass apply"
            >Name it below <code>deployments</code> of a plan.<//
          >`
        : html`<${Table} caption="Deployed contracts" columns=${columns} rows=${data.instances} />`
    }
  <//>`;
}

/** @param {{ data: ShownVersion }} props */
function Sources({ data }) {
  const [shown, setShown] = useState(/** @type {string | undefined} */ (undefined));
  return html`<${Card} title="Sources">
    <ul class="files">
      ${data.contract_files.map(
        (file) =>
          html`<li>
            <button
              type="button"
              class="quiet"
              aria-expanded=${shown === file.url ? 'true' : 'false'}
              onClick=${() => setShown(shown === file.url ? undefined : file.url)}
            >
              ${file.filename}
            </button>
            ${shown === file.url && html`<${Source} file=${file} />`}
          </li>`,
      )}
    </ul>
  <//>`;
}

/** @param {{ file: { url: string, filename: string } }} props */
function Source({ file }) {
  const [text, setText] = useState('…');
  useEffect(() => {
    void fetch(fileAddress(file.url))
      .then((response) => response.text())
      .then(setText, () => setText('This file cannot be read.'));
  }, [file.url]);
  return html`<${Code} text=${text} label=${file.filename} />`;
}
