import { Filter, listAddress, STANDINGS } from './filter.js';
import { to, useData } from './hooks.js';
import { html } from './html.js';
import { Card, Code, Empty, Facts, Hash, Head, Progress, Status, Tabs, Time, Trouble } from './parts.js';
import { Receipt } from './receipt.js';
import { List } from './table.js';

/** @typedef {import('../shapes.js').DeploymentItem} DeploymentItem */
/** @typedef {import('../shapes.js').DeployedContract} DeployedContract */

/** @typedef {import('../shapes.js').ContractItem} ContractItem */

const TABS = /** @type {const} */ ([
  ['Deployments', '#/deployments'],
  ['Contracts', '#/contracts'],
]);

const STATUSES = /** @type {const} */ ([
  ['pending', 'pending'],
  ['Completed', 'completed'],
  ['Error', 'error'],
]);

/** All deployments. @param {{ route: import('./hooks.js').Route }} props */
export function Deployments({ route }) {
  /** @type {import('./hooks.js').Loaded<import('../shapes.js').ListPage<DeploymentItem>>} */
  const loaded = useData(listAddress('_platform/console/deployments', route));
  /** @type {readonly import('./table.js').Column<DeploymentItem>[]} */
  const columns = [
    {
      head: 'Deployment',
      cell: (row) => html`<a href=${to(['deployments', row.deployment_id])}>${row.deployment_id}</a>`,
    },
    { head: 'Status', cell: (row) => html`<${Status} of=${row.status} />` },
    {
      head: 'Version',
      cell: (row) =>
        html`<a href=${to(['projects', row.project, row.version_slug])}>${row.project} ${row.version}</a>`,
    },
    { head: 'Contracts', kind: 'number', cell: (row) => `${row.standing} of ${row.contracts}` },
    { head: 'Requested', cell: (row) => html`<${Time} at=${row.created_at} />` },
  ];
  const empty = html`<${Empty} title="No deployment here." command="windlass apply">
    A plan names what to deploy below <code>deployments</code>.
  <//>`;
  return html`<${Head} title="Deployments" about="Requests that put contracts on the chain.">
      <${Filter} label="Status" name="status" route=${route} options=${STATUSES} />
    <//>
    <${Tabs} label="Deployments or contracts" tabs=${TABS} current="#/deployments" />
    <${List}
      loaded=${loaded}
      route=${route}
      caption="Deployments"
      columns=${columns}
      empty=${empty}
      id=${(/** @type {DeploymentItem} */ row) => row.deployment_id}
    />`;
}

/** The contracts of all deployments. @param {{ route: import('./hooks.js').Route }} props */
export function Contracts({ route }) {
  /** @type {import('./hooks.js').Loaded<import('../shapes.js').ListPage<ContractItem>>} */
  const loaded = useData(listAddress('_platform/console/contracts', route));
  /** @type {readonly import('./table.js').Column<ContractItem>[]} */
  const columns = [
    {
      head: 'Contract',
      cell: (row) => html`<a href=${to(['deployments', row.deployment_id])}>${row.contract}</a>`,
    },
    { head: 'Address', cell: (row) => html`<${Hash} of=${row.address} what="the address" whole />` },
    { head: 'Status', cell: (row) => html`<${Status} of=${row.status} />` },
    {
      head: 'Version',
      cell: (row) =>
        html`<a href=${to(['projects', row.project, row.version_slug])}>${row.project} ${row.version}</a>`,
    },
    { head: 'Deployed', cell: (row) => html`<${Time} at=${row.deployed_at} />` },
  ];
  const empty = html`<${Empty} title="No contract here." command="windlass apply">
    A plan names what to deploy below <code>deployments</code>.
  <//>`;
  return html`<${Head} title="Contracts" about="Every contract that a deployment sent to the chain.">
      <${Filter} label="Status" name="status" route=${route} options=${STANDINGS} />
    <//>
    <${Tabs} label="Deployments or contracts" tabs=${TABS} current="#/contracts" />
    <${List}
      loaded=${loaded}
      route=${route}
      caption="Contracts"
      columns=${columns}
      empty=${empty}
      id=${(/** @type {ContractItem} */ row) => `${row.deployment_id} ${row.contract} ${row.address}`}
    />`;
}

/** One deployment: its contracts, each with its receipt. @param {{ route: import('./hooks.js').Route }} props */
export function Deployment({ route }) {
  const [, id = ''] = route.parts;
  /** @type {import('./hooks.js').Loaded<import('../shapes.js').ShownDeployment>} */
  const { data, problem } = useData(`_platform/console/deployments/${encodeURIComponent(id)}`);
  return html`<${Head} title=${id} trail=${[['Deployments', '#/deployments']]}>
      ${data && html`<${Status} of=${data.status} />`}
    <//>
    <${Progress} of=${{ data, problem }} />
    ${
      data &&
      html`${
          data.latest_error &&
          html`<${Trouble} of=${{ code: 'DEPLOYMENT', message: data.latest_error, next: AFTER_ERROR }} />`
        }
        <${Facts}
          rows=${[
            [
              'Version',
              html`<a href=${to(['projects', data.project, data.version_slug])}
                >${data.project} ${data.version}</a
              >`,
            ],
            [
              'Wallet',
              html`<${Hash}
                of=${data.wallet.address}
                what="the wallet address"
                href=${to(['wallets', data.wallet.address])}
              />`,
            ],
            ['Signed by', data.wallet.type.replaceAll('_', ' ')],
            ['Requested', html`<${Time} at=${data.created_at} whole />`],
            ['Deployed', html`<${Time} at=${data.deployed_at} whole />`],
            ['Callback to', data.callback ?? html`<span class="faint">nobody</span>`],
          ]}
        />
        ${data.instances.map((one, at) => html`<${Contract} key=${at} of=${one} />`)}`
    }`;
}

const AFTER_ERROR = 'What stands stays. windlass apply sends what is missing as a new deployment.';

/** @param {{ of: DeployedContract }} props */
function Contract({ of }) {
  return html`<${Card} title=${of.contract} beside=${html`<${Status} of=${of.status} />`}>
    <p class="about"><${Hash} of=${of.address} what="the contract address" whole /></p>
    ${of.message !== '' && html`<p class="complaint told">${of.message}</p>`}
    ${
      of.params !== null &&
      html`<h3>Constructor parameters</h3>
        <${Code}
          text=${JSON.stringify(of.params, null, 2)}
          label=${`Constructor parameters of ${of.contract}`}
        />`
    }
    ${
      of.receipt
        ? html`<h3>Receipt</h3>
            <${Receipt} of=${of.receipt} name=${of.contract} />`
        : html`<p class="faint">No receipt${of.status === 'pending' ? ' yet' : ''}.</p>`
    }
  <//>`;
}
